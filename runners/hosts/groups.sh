# Print the paths of files with these names in each control group that stdin, which is as
# /proc/self/cgroup, says one is in: the group, and all above it. A container may see fewer.
groups() {
    while IFS=: read -r _ kinds group; do
        for kind in "" /cpu /memory; do # version 2 has one hierarchy, version 1 one for each kind
            case ,$kinds, in *",${kind#/},"*) ;; *) continue ;; esac
            above=${group%/}
            while :; do
                for name; do printf '%s\n' "/sys/fs/cgroup$kind$above/$name"; done
                [ -n "$above" ] || break
                above=${above%/*}
            done
        done
    done
}
