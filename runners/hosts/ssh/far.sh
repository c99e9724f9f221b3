# What bench-audit runs on a machine that it reaches over ssh, with nothing but sh and its tools.
#
# usage: sh far.sh VERB STATE TREE SKIPPED [ARGUMENT...]
#
# STATE is a folder of ours for jobs, TREE the one that is kept like its namesake on the machine
# that asks, but for the folders in SKIPPED, with colons between them. A job has a folder, which is
# handed to us with the shell's words "settings" (variables of ours), "run" (the process) and "left"
# (copies what is collected). It runs in a session of its own, below a supervisor that no connection
# holds, so it goes on when the connection is lost.
set -u
umask 077
verb=$1 state=$2 tree=$3 skipped=$4
shift 4
jobs=$state/jobs
apart=$(command -v setsid)
newest=65536 # blocks of 512 bytes that a stream may have before only its ends are kept

# Begin a process in a group of its own; $! is its number.
begin() {
    if [ -n "$apart" ]; then
        "$apart" "$@" &
    else
        set -m
        "$@" &
        set +m
    fi
}

# Say which start of the machine this is: the numbers of processes mean nothing after another one.
boot() {
    cat /proc/sys/kernel/random/boot_id 2>/dev/null || sysctl -n kern.bootsessionuuid 2>/dev/null
}

# Tell whether a process is there that was named by its number and the start of the machine.
lives() {
    [ "${1#*-}" = "$(boot)" ] && kill -0 "${1%%-*}" 2>/dev/null
}

# Send a signal to the processes of a job, unless they are of another start of the machine.
send() {
    [ ! -e "$1/code" ] && [ -e "$1/pid" ] || return 0
    case $(cat "$1/supervisor") in
    *-"$(boot)") : >"$1/signalled" && kill -s "$2" -- "-$(cat "$1/pid")" 2>/dev/null ;;
    esac
}

# End what an auditor has left that was killed.
end_all() {
    for job in "$jobs"/*/; do
        [ -d "$job" ] || continue
        : >"$job/cancelled"
        send "$job" KILL
    done
}

# List what is in the folders of $scope, but for what only processes read, by find's own words.
listing() {
    words=$*
    pruned=$(
        printf '%s' "$skipped" | tr : '\n' | while read -r one || [ -n "$one" ]; do
            echo "-o -path ./$one"
        done
    )
    eval "set -- $scope"
    for one in "$@"; do
        [ -e "$one" ] || continue
        find "$one" \( -name .bench-audit-lock $pruned \) -prune -o $words || return 1
    done
}

# Write a listing to a file, whole: a folder that goes away meanwhile is no part of it.
listed() {
    into=$1
    shift
    for turn in 1 2 3 4; do
        listing "$@" >"$into" 2>"$state/errors" && return 0
        sleep 0.1
    done
    cat "$state/errors" >&2
    exit 1
}

# Find says how a change is told: by a file's status where it can, else by its time, in seconds.
newer() {
    if find . -prune -cnewer . >/dev/null 2>&1; then echo -cnewer; else echo -newer; fi
}

# Keep the ends of a stream of a process that goes on writing: it appends.
trim() {
    [ -n "$(find "$1" -size +"$newest" 2>/dev/null)" ] || return 0
    [ -e "$1.first" ] || head -c "$half" "$1" >"$1.first"
    tail -c "$half" "$1" >"$1.new" && mv "$1.new" "$1.last"
    : >"$1.cut"
    : >"$1"
}

# Leave of a stream of a process that has ended its two ends; done again where it was broken off.
ends() {
    [ -e "$1" ] || return 0
    if [ -e "$1.last" ]; then
        cat "$1.last" "$1" >"$1.both" && tail -c "$half" "$1.both" >"$1.end" || return 1
    elif [ "$(wc -c <"$1")" -gt "$limit" ]; then
        head -c "$((limit / 2))" "$1" >"$1.first" &&
            tail -c "$((limit - limit / 2))" "$1" >"$1.end" && : >"$1.cut" || return 1
    else
        : >"$1.end" && cp "$1" "$1.first" || return 1
    fi
    rm -f "$1" "$1.last" "$1.both"
}

# Print the numbers of "0,2-3".
numbers() {
    for part in $(printf '%s' "$1" | tr , ' '); do
        one=${part%%-*}
        while [ "$one" -le "${part##*-}" ]; do
            echo "$one"
            one=$((one + 1))
        done
    done
}

# Keep off the processors that a job runs on, where we may use others.
keep_off() {
    theirs=$(numbers "$1" | tr '\n' ,) ours=
    for one in $(numbers "$(taskset -pc $$ 2>/dev/null | tr -d ' ' | cut -d : -f 2)"); do
        case ,$theirs in *,"$one",*) ;; *) ours=$ours,$one ;; esac
    done
    [ -z "$ours" ] || taskset -pc "${ours#,}" $$ >/dev/null
}

# Print what the kernel has counted, each file behind a line with its path, and our own time.
counters() {
    echo && echo "=== bench-audit times" && times
    {
        printf '%s\n' /proc/uptime /proc/stat /proc/pressure/cpu
        groups cpu.stat </proc/self/cgroup
        printf '%s\n' /sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/*_throttle_total_time_ms
    } 2>/dev/null | while read -r path; do
        [ -r "$path" ] && echo && printf '=== bench-audit %s\n' "$path" && cat "$path"
    done 2>/dev/null
}

# Say how many KiB the disk has left; with next to none nothing that is listed would be whole.
room() {
    set -- $(df -Pk . | tail -n 1)
    if [ "$4" -lt 1024 ]; then
        echo "no space left on device" >&2
        exit 1
    fi
    echo "$4"
}

# Wait until the job of this folder has ended: its supervisor writes to the pipe then, and nobody
# else holds it open for writing, so that it ends when the supervisor does.
await() {
    exec 4<>over 5<over 4>&-
    if [ ! -e code ] && [ -e attached ]; then
        kill "$(cat attached)" 2>/dev/null # it waits for a connection that was lost
    fi
    echo $$ >attached
    [ -e code ] || read -r _ <&5
    exec 5<&-
    [ -e code ] || send . KILL
    [ -e code ]
}

case $verb in
hello)
    echo "bench-audit"
    for one in env find head mkfifo readlink sh tail tar wc xargs; do
        command -v "$one" >/dev/null || echo "missing=$one"
    done
    [ -O "$state" ] && [ -O "$tree" ] || echo "strange=$state"
    echo "token=$(cat "$state/token" 2>/dev/null)"
    echo "here=$(cat "$state/here" 2>/dev/null)"
    for one in "$@"; do
        eval "[ -z \"\${$one+set}\" ] || printf '%s\n' \"variable=$one=\${$one}\""
    done
    ;;
reset)
    end_all
    rm -rf "$tree" "$jobs"
    mkdir -p "$tree" "$jobs" && echo "$1" >"$state/token"
    ;;
sweep)
    # End what an auditor that was killed has left, and say what it may have changed.
    end_all
    oldest=
    for job in "$jobs"/*/; do
        [ -e "$job/stamp" ] || continue
        [ -n "$oldest" ] && [ -z "$(find "$oldest" -newer "$job/stamp")" ] || oldest=$job/stamp
    done 2>/dev/null
    cd "$tree" || exit 1
    scope=.
    if [ -n "$oldest" ]; then
        listed "$state/changed" ! -type d "$(newer)" "$oldest" -print0
        cat "$state/changed"
    fi
    rm -rf "$jobs"
    mkdir -p "$jobs"
    ;;
names)
    cd "$tree" || exit 1
    scope=.
    listed "$state/names" ! -type d -print0
    cat "$state/names"
    ;;
drop)
    cd "$tree" && xargs -0 rm -rf --
    ;;
take)
    cd "$tree" || exit 1
    tar -xpof - && exit 0
    room >/dev/null # tars say it each in their own words
    exit 1
    ;;
forget)
    for one in "$@"; do rm -rf "${jobs:?}/$one"; done
    ;;
start)
    # Starting twice is starting once: the answer to the first time may have been lost.
    job=$jobs/$1
    shift
    for one in "$@"; do rm -rf "${jobs:?}/$one"; done
    if ! mkdir -p "$job" || ! tar -xof - -C "$job"; then
        cd "$state" && room >/dev/null
        exit 1
    fi
    if mkdir "$job/begun" 2>/dev/null; then
        mkfifo "$job/over" || exit 1
        : >"$job/out" && : >"$job/err" && : >"$job/stamp" || exit 1
        if [ "$(newer)" = -newer ]; then
            touch -d "@$(($(date +%s) - 2))" "$job/stamp"
        fi
        begin sh "$0" supervise "$state" "$tree" "$skipped" "$job" </dev/null >/dev/null 2>&1
        echo "$!-$(boot)" >"$job/supervisor" || exit 1
    fi
    turns=0
    while [ ! -e "$job/pid" ] && [ ! -e "$job/code" ]; do
        if [ "$turns" -gt 100 ] && ! lives "$(cat "$job/supervisor")"; then
            [ -e "$job/code" ] && break
            echo "what was to run it has ended before" >&2
            exit 1
        fi
        # Others may be measuring, who must not be disturbed by us.
        if [ "$turns" -lt 100 ]; then sleep 0.02; else sleep 1; fi
        turns=$((turns + 1))
        if [ "$turns" -gt 3700 ]; then
            echo "other auditors of this account have measured for more than an hour" >&2
            exit 1
        fi
    done
    ;;
supervise)
    cd "$1" || exit 1
    . ./settings
    [ -z "$processors" ] || keep_off "$processors"
    if [ -n "$alone" ]; then
        # A link is made, and says who has made it, at once.
        lock=${TMPDIR:-/tmp}/bench-audit-$(id -u).measuring
        until ln -sn "$$-$(boot)" "$lock" 2>/dev/null; do
            if [ -e cancelled ] || [ ! -e settings ]; then
                echo 137 >code
                exit
            fi
            if ! lives "$(readlink "$lock")" && mkdir "$lock.cleared" 2>/dev/null; then
                # Only here are others' removed, and by one at a time.
                lives "$(readlink "$lock")" || rm -f "$lock"
                rmdir "$lock.cleared"
            fi
            sleep 1
        done
    fi
    sleep 0.02 # what is written in the same tick of the clock as the stamp is not newer
    exec 3<>over
    echo "                " >code.new # room for the code, should the disk be full by then
    counters >before
    begin "$(command -v env)" -i /bin/sh ./run >>out 2>>err </dev/null 3>&-
    pid=$!
    begin sh "$0" guard "$state" "$tree" "$skipped" "$1" "$pid" </dev/null >/dev/null 2>&1 3>&-
    guard=$!
    echo "$pid" >pid.new && mv pid.new pid
    [ ! -e cancelled ] || kill -s KILL -- "-$pid"
    wait "$pid"
    code=$?
    kill -s KILL -- "-$pid" "-$guard"
    counters >after
    [ -z "$alone" ] || [ "$(readlink "$lock")" != "$$-$(boot)" ] || rm -f "$lock"
    echo "$code" 1<>code.new
    mv code.new code
    printf '\n\n\n\n\n\n\n\n' >&3
    ;;
guard)
    # Nobody may be left to end a job, and nobody reads its output before its end.
    cd "$1" || exit 1
    . ./settings
    waited=0
    while [ "$waited" -lt "$longest" ]; do
        sleep 2
        waited=$((waited + 2))
        trim out
        trim err
    done
    kill -s KILL -- "-$2"
    ;;
attach)
    # Write what is followed from a byte on, until the job has ended: 3, or has ended before: 0.
    # 4: nobody will ever say that it has ended.
    cd "$jobs/$1" || exit 1
    . ./settings
    [ -z "$processors" ] || keep_off "$processors"
    [ "$follow" != - ] || follow=$PWD/out
    if [ -e code ]; then
        if [ -n "$follow" ] && [ -f "$follow" ]; then tail -c "+$(($2 + 1))" "$follow"; fi
        exit 0
    fi
    if [ -n "$follow" ]; then
        (
            trap 'kill $!; exit' TERM
            while [ ! -f "$follow" ]; do sleep 0.05; done
            tail -c "+$(($2 + 1))" -f "$follow" &
            wait
        ) &
        tails=$!
        trap 'kill "$tails"; exit 3' TERM
        await
        kill "$tails"
    else
        await
    fi
    [ -e code ] || exit 4
    exit 3
    ;;
signal)
    # What is ended before its start has come here will find that when it comes.
    [ "$2" != KILL ] || mkdir -p "$jobs/$1"
    cd "$jobs/$1" || exit 0
    [ "$2" != KILL ] || : >cancelled # it may wait for others, and not run yet
    send . "$2"
    exit 0
    ;;
tell)
    cd "$jobs/$1" || exit 0
    . ./settings
    : >"$enough"
    ;;
finish)
    # Write an archive of the job's folder, and one of what it has changed in the tree.
    cd "$jobs/$1" || exit 1
    . ./settings
    if ! await; then
        echo "what ran it there has ended before it did (was the machine restarted?)" >&2
        exit 1
    fi
    room >free || exit 1
    if [ ! -e ended ]; then
        ends out && ends err && . ./left && : >ended || exit 1
    fi
    job=$PWD
    cd "$tree" || exit 1
    if [ -n "$mirrored" ]; then
        listed "$job/folders" -type d -print0
        listed "$job/names" ! -type d -print0
        listed "$job/changed" ! -type d "$(newer)" "$job/stamp" -print0
        # What is in a folder that was renamed has not changed, but is elsewhere.
        listed "$job/renamed" -type d "$(newer)" "$job/stamp" -print0
    fi
    tar -cf - -C "$jobs" "$1" || exit 1
    # What has gone away meanwhile is not there; that all was written is said by the last one.
    [ ! -s "$job/changed" ] || xargs -0 tar -cf - <"$job/changed" 2>/dev/null
    tar -cf - -C "$job" ended
    ;;
fetch)
    # Write an archive of what is named, and one that says that all was written.
    cat >"$state/names" && cd "$tree" || exit 1
    xargs -0 tar -cf - <"$state/names" 2>/dev/null
    tar -cf - -C "$state" token
    ;;
*)
    echo "no such verb: $verb" >&2
    exit 2
    ;;
esac
