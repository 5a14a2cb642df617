"""JSON Web Tokens: one configured algorithm, key, issuer and audience, and nothing that the token says about these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from semantic_pubsub.broker.errors import BrokerError
from semantic_pubsub.broker.http.identity import Identity, unauthorised
from semantic_pubsub.broker.model import DEFAULT_TENANT

if TYPE_CHECKING:
    from semantic_pubsub.broker.http.settings import TokenSettings

__all__ = ["TokenReader"]

_ROLES: Final = frozenset({"publish", "subscribe", "admin"})
_LEEWAY: Final = 30
_SHORTEST_SECRET: Final = 32
_LONGEST_NAME: Final = 256


class TokenReader:
    """Checks tokens. `sub` is the subject, the configured claims have tenant and roles."""

    def __init__(self, settings: TokenSettings) -> None:
        try:
            import jwt
        except ImportError as error:
            hint = "pip install 'semantic-pubsub[serve]'"
            raise BrokerError(f"tokens need PyJWT ({error})", hint=hint) from None
        self._jwt = jwt
        self._settings = settings
        self._key = settings.read_key()
        if settings.algorithm == "HS256" and len(self._key) < _SHORTEST_SECRET:
            raise BrokerError(f"the key of HS256 has less than {_SHORTEST_SECRET} bytes", hint="take a random one")
        if settings.algorithm == "RS256" and b"PUBLIC KEY" not in self._key:
            raise BrokerError("the key of RS256 is no public key in PEM", hint="give the issuer's public key")

    def identity(self, token: str) -> Identity:
        """Who a token speaks for; a 401 if it is not to be believed."""
        settings = self._settings
        try:
            claims = self._jwt.decode(
                token,
                self._key,
                algorithms=[settings.algorithm],
                issuer=settings.issuer,
                audience=settings.audience,
                leeway=_LEEWAY,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
            until = float(claims["exp"]) + _LEEWAY
        except (self._jwt.PyJWTError, OverflowError) as error:
            raise unauthorised(f"the token is not accepted: {type(error).__name__}") from None
        subject = _name(claims.get("sub"))
        tenant = _name(claims.get(settings.tenant_claim, DEFAULT_TENANT))
        return Identity(tenant, subject, _roles(claims.get(settings.roles_claim)), until)


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value or len(value) > _LONGEST_NAME or not value.isprintable():
        raise unauthorised("the token is not accepted: subject and tenant are printable texts")
    return value


def _roles(value: Any) -> frozenset[Any]:
    """From a list, or from a text with spaces as `scope` has it; what we do not know has no meaning here."""
    words = value.split() if isinstance(value, str) else value if isinstance(value, list) else []
    return frozenset(word for word in words if isinstance(word, str)) & _ROLES
