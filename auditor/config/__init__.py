"""The configuration: a file or a subject, with flags over it, becomes what the user asks for."""

from auditor.config.load import Config as Config
from auditor.config.load import Gates as Gates
from auditor.config.load import load as load
from auditor.config.places import Places as Places
from auditor.config.places import places as places
from auditor.config.subjects import described as described
