"""Ed25519 keys of devices and invitations (RFC 8032), by the `cryptography` package.

A seed is the 64 hex digits of a private key; it never leaves the machine, except in an invitation, whose key
is valid for one membership only.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from remora.core.errors import ConfigError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

DEVICE_DIGITS = 32


def new_seed() -> str:
    """Return a new private key.

    Raises:
        ConfigError: the extra `remora[share]` is not installed.
    """
    return _private_class().generate().private_bytes_raw().hex()


def public_key(seed: str) -> str:
    """Return the public key of a seed: 64 hex digits."""
    return _private(seed).public_key().public_bytes_raw().hex()


def device_of(key: str) -> str:
    """Return the id of the device with a public key: the first 32 hex digits of the key's SHA-256."""
    return hashlib.sha256(bytes.fromhex(key)).hexdigest()[:DEVICE_DIGITS]


def sign(seed: str, data: bytes) -> str:
    """Return the signature of bytes: 128 hex digits."""
    return _private(seed).sign(data).hex()


def is_signed(key: str, signature: str, data: bytes) -> bool:
    """Return whether a signature of bytes was made with a public key's seed; False for malformed input."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), data)
    except (InvalidSignature, ValueError):
        return False
    return True


def _private_class() -> type[Ed25519PrivateKey]:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError:
        raise ConfigError(
            "sharing needs a package that is not installed", hint="pip install 'remora[share]'"
        ) from None
    return Ed25519PrivateKey


def _private(seed: str) -> Ed25519PrivateKey:
    return _private_class().from_private_bytes(bytes.fromhex(seed))
