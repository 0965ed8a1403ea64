"""The roles of the settings, as defaults for criteria."""

from ralph.config.schema import Settings
from ralph.kernel.completion import RoleDefaults


def role_defaults(settings: Settings) -> dict[str, RoleDefaults]:
    overall = settings.ralph
    return {
        name: RoleDefaults(
            promise=role.promise,
            verification=role.verification or overall.default_verification,
            verification_config=role.verification_config,
            max_iterations=role.max_iterations or overall.default_max_iterations,
        )
        for name, role in settings.roles.items()
    }
