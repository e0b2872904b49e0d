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
