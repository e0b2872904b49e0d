# Sourced by the other scripts: where the tools live, shared between clones of the repository.

MURIEL_CACHE=${MURIEL_CACHE:-${HOME:?HOME or MURIEL_CACHE must be set}/.cache/muriel}
PATH=$MURIEL_CACHE/tools/bin:$MURIEL_CACHE/venv/bin:$PATH
# Where Python has pip but cannot make a virtual environment, the packages lie in a plain folder.
if [ -d "$MURIEL_CACHE/venv/site" ]; then
  PATH=$MURIEL_CACHE/venv/site/bin:$PATH
  PYTHONPATH=$MURIEL_CACHE/venv/site${PYTHONPATH:+:$PYTHONPATH}
  export PYTHONPATH
fi
export MURIEL_CACHE PATH

# DuckDB as a library that is already compiled, where scripts/tools has brought one: then cargo is told not to compile it.
# `MURIEL_DUCKDB=bundled` compiles it all the same. The version is that of the crate `duckdb` (1.10506 is 1.5.6).
DUCKDB_HOME=$MURIEL_CACHE/tools/duckdb-1.5.6
DUCKDB_PACKAGE=
case ${MURIEL_DUCKDB:-prebuilt},$(uname -s),$(uname -m) in
  # It is linked against glibc.
  prebuilt,Linux,x86_64) [ ! -e /lib64/ld-linux-x86-64.so.2 ] || DUCKDB_PACKAGE=@duckdb/node-bindings-linux-x64 ;;
esac
MURIEL_FEATURES=
if [ -n "$DUCKDB_PACKAGE" ] && [ -f "$DUCKDB_HOME/libduckdb.so" ]; then
  MURIEL_FEATURES=--no-default-features
  DUCKDB_LIB_DIR=$DUCKDB_HOME
  # Where tests and other programs that cargo makes find it; what `make build` leaves behind does without.
  case :${LD_LIBRARY_PATH:-}: in
    *:"$DUCKDB_HOME":*) ;;
    *) LD_LIBRARY_PATH=$DUCKDB_HOME${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ;;
  esac
  export DUCKDB_LIB_DIR LD_LIBRARY_PATH
fi
export MURIEL_FEATURES
