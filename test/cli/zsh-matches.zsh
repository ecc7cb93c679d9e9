# Writes the matches of zsh's completion to a file: zsh -f zsh-matches.zsh SCRIPT OUT LINE. The last line is `end`.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT= RPROMPT= OUT=${(q)2}; autoload -Uz compinit; compinit -D -u; source ${(q)1}"
zpty -w shell 'compadd() { local -a hits; builtin compadd -A hits "$@"; (( $#hits )) && print -rl -- $hits >> $OUT; builtin compadd "$@" }
probe() { zle complete-word; print end >> $OUT }
zle -N probe; bindkey "^T" probe; print ready >> $OUT'
OUT=$2
# At most a minute.
wait_for() { repeat 1200; do grep -qs "^$1\$" $OUT && return; sleep 0.05; done; exit 1 }
wait_for ready
zpty -n -w shell "$3"$'\x14'
wait_for end
