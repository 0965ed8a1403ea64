"""What a process can leave behind: shell commands that start something which writes its pid to `survivor` and stays."""

STAYS = "echo $$ > survivor.new; mv survivor.new survivor; exec sleep 600"
STAYS_DEAF = f"trap '' TERM INT HUP; {STAYS}"
KINDS = {
    "in the background": f"sh -c '{STAYS}' &",
    "in a session of its own": f"setsid sh -c '{STAYS}' &",
    "a daemon": f"(setsid sh -c '{STAYS}' > /dev/null 2>&1 < /dev/null &)",
    "deaf to polite signals": f'sh -c "{STAYS_DEAF}" &',
    "a deaf daemon": f'(setsid sh -c "{STAYS_DEAF}" > /dev/null 2>&1 &)',
    "without its environment": f"env -i PATH=$PATH setsid sh -c '{STAYS}' &",
    "a daemon without its environment": f"(env -i PATH=$PATH setsid sh -c '{STAYS}' > /dev/null 2>&1 &)",
    "stopped": f"sh -c '{STAYS}' & while [ ! -e survivor ]; do sleep 0.01; done; kill -STOP $!",
    "behind another shell": f"sh -c \"sh -c '{STAYS}' & wait\" &",
}
IS_THERE = "while [ ! -e survivor ]; do sleep 0.01; done"
