# Sourced by the other scripts: the folder of the tools, which clones of the repository share.

MURIEL_CACHE=${MURIEL_CACHE:-${HOME:?HOME or MURIEL_CACHE must be set}/.cache/muriel}
PATH=$MURIEL_CACHE/tools/bin:$MURIEL_CACHE/venv/bin:$PATH
# If Python has pip but cannot create a virtual environment, the packages are in a plain folder.
if [ -d "$MURIEL_CACHE/venv/site" ]; then
  PATH=$MURIEL_CACHE/venv/site/bin:$PATH
  PYTHONPATH=$MURIEL_CACHE/venv/site${PYTHONPATH:+:$PYTHONPATH}
  export PYTHONPATH
fi
export MURIEL_CACHE PATH

# If scripts/tools has installed DuckDB as a prebuilt library, cargo does not compile it. `MURIEL_DUCKDB=bundled`
# compiles it nevertheless. The version is that of the crate `duckdb` (1.10506 is 1.5.6).
DUCKDB_HOME=$MURIEL_CACHE/tools/duckdb-1.5.6
DUCKDB_PACKAGE=
case ${MURIEL_DUCKDB:-prebuilt},$(uname -s),$(uname -m) in
  # The library is linked against glibc.
  prebuilt,Linux,x86_64) [ ! -e /lib64/ld-linux-x86-64.so.2 ] || DUCKDB_PACKAGE=@duckdb/node-bindings-linux-x64 ;;
esac
MURIEL_FEATURES=
if [ -n "$DUCKDB_PACKAGE" ] && [ -f "$DUCKDB_HOME/libduckdb.so" ]; then
  MURIEL_FEATURES=--no-default-features
  DUCKDB_LIB_DIR=$DUCKDB_HOME
  # Tests and other programs built by cargo find the library here; the binary of `make build` does not need it.
  case :${LD_LIBRARY_PATH:-}: in
    *:"$DUCKDB_HOME":*) ;;
    *) LD_LIBRARY_PATH=$DUCKDB_HOME${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ;;
  esac
  export DUCKDB_LIB_DIR LD_LIBRARY_PATH
fi
export MURIEL_FEATURES
