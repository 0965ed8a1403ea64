"""How OpenAI words a refusal, in both of its protocols."""

from scripted_model.base import Json

ERRORS = {
    400: (
        "invalid_request_error",
        "context_length_exceeded",
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
    ),
    401: ("invalid_request_error", "invalid_api_key", "Incorrect API key provided: dummy."),
    403: ("invalid_request_error", "permission_denied", "You have insufficient permissions for this operation."),
    404: (
        "invalid_request_error",
        "model_not_found",
        "The model `{model}` does not exist or you do not have access to it.",
    ),
    429: ("requests", "rate_limit_exceeded", "Rate limit reached for {model}. Please try again in 1s."),
    503: ("service_unavailable_error", "server_is_overloaded", "Our servers are currently overloaded."),
}
OTHERS = ("server_error", "server_error", "The server had an error while processing your request.")


def openai_error(model: str, status: int, message: str) -> Json:
    kind, code, words = ERRORS.get(status, OTHERS)
    return {"message": message or words.format(model=model), "type": kind, "param": None, "code": code}
