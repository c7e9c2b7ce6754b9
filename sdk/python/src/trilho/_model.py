from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A resource of the API. Fields that a newer API adds are kept as attributes."""

    model_config = ConfigDict(extra="allow", protected_namespaces=())
