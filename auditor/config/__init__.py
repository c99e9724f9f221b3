"""The configuration: a file or a subject, with flags over it, becomes what the user asks for."""

from auditor.config.load import Config as Config
from auditor.config.load import Gates as Gates
from auditor.config.load import load_config as load_config
from auditor.config.places import Places as Places
from auditor.config.places import choose_places as choose_places
from auditor.config.subjects import describe_subject as describe_subject
