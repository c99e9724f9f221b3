"""Which variables of the user's every process on this machine gets; the others may be secrets."""

import re
from collections.abc import Mapping

_WORDS = """\
CI COLUMNS HOME HOSTNAME LANG LANGUAGE LOGNAME NO_COLOR PATH SHELL SOURCE_DATE_EPOCH TERM TMPDIR
TZ USER

ALL_PROXY CURL_CA_BUNDLE FTP_PROXY HTTPS_PROXY HTTP_PROXY NIX_SSL_CERT_FILE NO_PROXY
REQUESTS_CA_BUNDLE SSL_CERT_DIR SSL_CERT_FILE all_proxy ftp_proxy http_proxy https_proxy
no_proxy

GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM GIT_CONFIG_SYSTEM GIT_EXEC_PATH GIT_SSH GIT_SSH_COMMAND
GIT_SSL_CAINFO GIT_SSL_CAPATH GIT_TERMINAL_PROMPT

CLASSPATH GRADLE_HOME GRADLE_OPTS GRADLE_USER_HOME JAVA_HOME JAVA_OPTS JAVA_TOOL_OPTIONS
JDK_JAVA_OPTIONS M2_HOME MAVEN_ARGS MAVEN_CONFIG MAVEN_HOME MAVEN_OPTS MAVEN_SKIP_RC
MAVEN_USER_HOME MVNW_REPOURL MVNW_VERBOSE SDKMAN_DIR _JAVA_OPTIONS

PBR_VERSION PDM_BUILD_SCM_VERSION VIRTUAL_ENV

AR CARGO_HOME CC CFLAGS CPATH CPLUS_INCLUDE_PATH CPPFLAGS CXX CXXFLAGS C_INCLUDE_PATH
DEVELOPER_DIR DYLD_FALLBACK_LIBRARY_PATH DYLD_LIBRARY_PATH FC GCCGO GLIBC_TUNABLES LD LDFLAGS
LD_LIBRARY_PATH LD_PRELOAD LIBRARY_PATH MACOSX_DEPLOYMENT_TARGET MAKEFLAGS NIX_CFLAGS_COMPILE
NIX_LD NIX_LDFLAGS NIX_LD_LIBRARY_PATH RANLIB RUSTUP_HOME SDKROOT
"""
_NAMES = frozenset(_WORDS.split())
_PATTERN = re.compile(
    r"LC_[A-Z]+|XDG_[A-Z_]+|GO[A-Z0-9]+|CGO_[A-Z_]+|JDK_?[0-9]+_HOME|JAVA_HOME_[0-9A-Za-z_]+|"
    r"PYTHON[A-Z0-9]+|PYENV_[A-Z_]+|PIP_[A-Z_]+|UV_(?!PUBLISH_)[A-Z0-9_]+|SETUPTOOLS_[A-Z0-9_]+|"
    r"PKG_CONFIG[A-Z_]*|MALLOC_[A-Z_]+"
)
_INSTALLERS = ("PIP_", "UV_")


def is_usual_variable(name: str) -> bool:
    """Tell whether it is one that shells, compilers, build tools and ways to the network need."""
    return name in _NAMES or _PATTERN.fullmatch(name) is not None


def usual_ones(environment: Mapping[str, str]) -> dict[str, str]:
    """Return those of an environment."""
    return {name: value for name, value in environment.items() if is_usual_variable(name)}


def of_installers(name: str) -> bool:
    """Tell whether it is of pip or uv, for which an index with a password in it may be named."""
    return name.startswith(_INSTALLERS)
