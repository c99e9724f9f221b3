# ruff: noqa
"""Rename functions, methods, classes and local variables by `names.tsv`; kept until they are done.

    scripts/renames/rename.py . scripts/renames/names.tsv
    ruff format . && mypy && scripts/quick

A row is F, C, M or V, a path, a qualified name and a new name, separated by tabs. V has the function,
the old and the new name. All names in the rows are those of before. Imports, module attributes,
keyword arguments and strings of `setattr` follow. A method is renamed where its name is private or
occurs once in the repository. `skips.json` lists the rows that were left out, with the reason.

What it does not reach, and what a first run over rows of 2 and 4 to 8 needed by hand:

* the strings of TypeVars (`_Made`), quoted annotations with brackets (`"_Talk[_Made]"`);
* `struct.pack`, `hypothesis.strategies.binary` and `DataFrame.drop`, which it takes for our methods;
* modules in a tuple whose functions are called by one name: `mutators/python` (`module.find`,
  `module.holds`), `auditor/importers/formats.py` (`module.read`, `module.is_mine`),
  `auditor/housekeeping/report.py` (`module.show`, `module.keep`);
* `selectors` data (`key.data.take` in `runners/hosts/output_watch.py`), Jinja templates, docs and the
  texts in `scripts/guards.toml`;
* lines above 100 characters in strings, and functions that become longer than 45 lines.
"""

import ast, sys, re, pathlib, collections, json

ROOT = pathlib.Path(sys.argv[1])
TSV = sys.argv[2:]
FILES = [
    p
    for d in ("auditor", "mutators", "runners", "reports", "tests", "benchmarks", "scripts")
    for p in (ROOT / d).rglob("*.py")
    if "tests/subjects" not in str(p)
]
log = collections.Counter()
skips = []


def skip(*a):
    skips.append(a)
    log["skip " + a[0]] += 1


F = {}
V = collections.defaultdict(list)
for t in TSV:
    for l in open(t):
        x = l.rstrip("\n").split("\t")
        if len(x) < 4:
            continue
        k, path = x[0], x[1]
        if not re.fullmatch(r"[A-Za-z_]\w*", x[-1]):
            skip("bad", l)
            continue
        if k in "FC":
            F[path, x[2]] = x[3]
        elif k == "M" and x[2] == "-":
            F[path, x[3]] = x[4]
        elif k == "V":
            V[path].append((x[2], x[3], x[4]))


class Scope:
    def __init__(s, node, parent, kind, qual):
        s.node, s.parent, s.kind, s.qual = node, parent, kind, qual
        s.bound = set()
        s.glob = set()


class Mod:
    def __init__(s, path):
        s.path = path
        s.rel = str(path.relative_to(ROOT))
        s.src = path.read_bytes()
        s.lines = s.src.split(b"\n")
        s.tree = ast.parse(s.src)
        s.occ = []  # (scope, name, line, col, kind)
        s.attrs = []
        s.imports = []
        s.calls = []
        s.scopes = []
        top = Scope(s.tree, None, "m", "")
        s.top = top
        s.scopes.append(top)
        s.body(s.tree.body, top, None)

    def find(s, line, col, name, maxlines=6):
        n = name.encode()
        for i in range(line - 1, min(len(s.lines), line - 1 + maxlines)):
            st = col if i == line - 1 else 0
            m = re.compile(rb"(?<![\w])" + n + rb"(?!\w)").search(s.lines[i], st)
            if m:
                return i + 1, m.start()
        raise Exception((s.rel, line, name))

    def bind(s, sc, name, pos, kind):
        if name in sc.glob:
            sc = s.top
        sc.bound.add(name)
        s.occ.append((sc, name, *pos, kind))

    def body(s, b, sc, cls):
        for n in b:
            s.visit(n, sc, cls)

    def args(s, a, sc, outer, cls):
        for x in a.posonlyargs + a.args + a.kwonlyargs + [y for y in (a.vararg, a.kwarg) if y]:
            s.bind(sc, x.arg, (x.lineno, x.col_offset), "arg")
            if x.annotation:
                s.visit(x.annotation, outer, cls)
        for d in a.defaults + [d for d in a.kw_defaults if d]:
            s.visit(d, outer, cls)

    def visit(s, n, sc, cls):
        q = lambda name: (sc.qual + "." + name) if sc.qual else name
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for d in n.decorator_list:
                s.visit(d, sc, cls)
            s.bind(sc, n.name, s.find(n.lineno, n.col_offset + 3, n.name), "def")
            new = Scope(n, sc, "f", q(n.name))
            s.scopes.append(new)
            for x in ast.walk(n):
                if isinstance(x, (ast.Global, ast.Nonlocal)):
                    new.glob |= set(x.names)
            s.args(n.args, new, sc, cls)
            if n.returns:
                s.visit(n.returns, sc, cls)
            s.body(n.body, new, cls)
            return
        if isinstance(n, ast.Lambda):
            new = Scope(n, sc, "f", sc.qual)
            s.scopes.append(new)
            s.args(n.args, new, sc, cls)
            s.visit(n.body, new, cls)
            return
        if isinstance(n, ast.ClassDef):
            for d in n.decorator_list + n.bases:
                s.visit(d, sc, cls)
            for k in n.keywords:
                s.visit(k.value, sc, cls)
            s.bind(sc, n.name, s.find(n.lineno, n.col_offset + 5, n.name), "class")
            new = Scope(n, sc, "c", q(n.name))
            s.scopes.append(new)
            s.body(n.body, new, n.name)
            return
        if isinstance(n, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            new = Scope(n, sc, "f", sc.qual)
            s.scopes.append(new)
            new.comp = True
            for i, g in enumerate(n.generators):
                s.visit(g.iter, sc if i == 0 else new, cls)
                s.visit(g.target, new, cls)
                for c in g.ifs:
                    s.visit(c, new, cls)
            for e in [n.key, n.value] if isinstance(n, ast.DictComp) else [n.elt]:
                s.visit(e, new, cls)
            return
        if isinstance(n, ast.NamedExpr):
            t = sc
            while getattr(t, "comp", False):
                t = t.parent
            s.bind(t, n.target.id, (n.target.lineno, n.target.col_offset), "store")
            s.visit(n.value, sc, cls)
            return
        if isinstance(n, ast.Name):
            if isinstance(n.ctx, ast.Load):
                s.occ.append((sc, n.id, n.lineno, n.col_offset, "load"))
            else:
                s.bind(sc, n.id, (n.lineno, n.col_offset), "store")
            return
        if isinstance(n, (ast.Import, ast.ImportFrom)):
            for a in n.names:
                b = a.asname or a.name.split(".")[0]
                sc.bound.add(b)
                s.imports.append((sc, n, a))
            return
        if isinstance(n, ast.ExceptHandler) and n.name:
            s.bind(sc, n.name, s.find(n.type.end_lineno, n.type.end_col_offset, n.name), "store")
        if isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name:
            s.bind(sc, n.name, (n.end_lineno, n.end_col_offset - len(n.name.encode())), "store")
        if isinstance(n, ast.MatchMapping) and n.rest:
            s.bind(sc, n.rest, (n.end_lineno, n.end_col_offset - 1 - len(n.rest)), "store")
        if isinstance(n, (ast.Global, ast.Nonlocal)):
            for name in n.names:
                s.occ.append((sc, name, *s.find(n.lineno, n.col_offset + 6, name), "load"))
            return
        if isinstance(n, ast.Attribute):
            s.attrs.append((sc, cls, n))
        if isinstance(n, ast.Call):
            s.calls.append((sc, cls, n))
        for c in ast.iter_child_nodes(n):
            s.visit(c, sc, cls)

    def resolve(s, sc, name):
        first = True
        while sc:
            if (sc.kind != "c" or first) and name in sc.bound and name not in sc.glob:
                return sc
            first = False
            sc = sc.parent
        return None


mods = {}
for p in FILES:
    m = Mod(p)
    mods[m.rel] = m


def modfile(dotted):
    b = dotted.replace(".", "/")
    for c in (b + ".py", b + "/__init__.py"):
        if c in mods:
            return c


def target(m, n):
    base = ""
    if n.level:
        parts = m.rel.split("/")[:-1]
        parts = parts[: len(parts) - (n.level - 1)]
        base = ".".join(parts)
    return ".".join(x for x in (base, n.module or "") if x)


# module-level renames, to a fixpoint over re-imports
R = {}
for (path, qn), new in F.items():
    if path not in mods:
        skip("nofile", path)
        continue
    if "." in qn:
        continue
    if qn not in mods[path].top.bound:
        skip("absent", path, qn)
        continue
    R[path, qn] = new


def importers():
    for m in mods.values():
        for sc, n, a in m.imports:
            if isinstance(n, ast.ImportFrom):
                f = modfile(target(m, n))
                if f and (f, a.name) in R:
                    yield m, sc, n, a, R[f, a.name]


def close(R):
    ch = True
    while ch:
        ch = False
        for m, sc, n, a, new in list(importers()):
            if (
                (a.asname is None or a.asname == a.name)
                and sc is m.top
                and (m.rel, a.name) not in R
            ):
                R[m.rel, a.name] = new
                ch = True


origins = dict(R)
close(R)
# module aliases per file: name -> file  (scope-insensitive but resolved name must be an import)
alias = {}
for m in mods.values():
    al = {}
    for sc, n, a in m.imports:
        if isinstance(n, ast.ImportFrom):
            f = modfile(target(m, n) + "." + a.name)
            if f:
                al[a.asname or a.name] = f
        elif a.asname:
            f = modfile(a.name)
            if f:
                al[a.asname] = f
    alias[m.rel] = al


# private methods
def priv():
    out = {}
    for (path, qn), new in F.items():
        if qn.count(".") != 1 or path not in mods:
            continue
        c, meth = qn.split(".")
        out[path, c, meth] = new
    return out


P = priv()
CLS = [
    (mm, x, " ".join(ast.unparse(b) for b in x.bases), {getattr(y, "name", None) for y in x.body})
    for mm in mods.values()
    for x in ast.walk(mm.tree)
    if isinstance(x, ast.ClassDef) and x.bases
]
attr_by_name = collections.defaultdict(list)
for m in mods.values():
    for sc, cls, n in m.attrs:
        attr_by_name[n.attr].append((m, cls, n))
defs = collections.defaultdict(set)
fields = set()
for m in mods.values():
    for x in ast.walk(m.tree):
        if isinstance(x, ast.ClassDef):
            for y in x.body:
                if isinstance(y, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    defs[y.name].add((m.rel, x.name))
                if isinstance(y, ast.AnnAssign) and isinstance(y.target, ast.Name):
                    defs[y.target.id].add((m.rel, x.name, "field"))
                if isinstance(y, ast.Assign):
                    for t in y.targets:
                        if isinstance(t, ast.Name):
                            defs[t.id].add((m.rel, x.name, "field"))
        if isinstance(x, ast.Attribute) and isinstance(x.ctx, ast.Store):
            defs[x.attr].add((m.rel, "?store"))
strings = set()
tmpl = " ".join(p.read_text() for p in (ROOT / "reports/templates").rglob("*") if p.is_file())
import os, re as _re, datetime, json as _j, types, argparse, subprocess, threading, queue, inspect, logging

EXT = set()
import numpy

for o in (
    str,
    bytes,
    dict,
    list,
    set,
    tuple,
    int,
    float,
    pathlib.Path,
    re.compile(""),
    re.match("", ""),
    datetime.datetime,
    types.SimpleNamespace,
    subprocess.Popen,
    threading.Thread,
    queue.Queue,
    inspect.Signature,
    inspect.Parameter,
    logging.Logger,
    numpy.ndarray,
    collections.Counter,
    collections.deque,
    ast.AST,
    os,
    sys,
    json,
    re,
    pathlib,
    subprocess,
    threading,
    ast,
    inspect,
    math := __import__("math"),
    shutil := __import__("shutil"),
    itertools := __import__("itertools"),
    numpy,
):
    EXT |= set(dir(o))
try:
    import libcst

    EXT |= set(dir(libcst))
    for o in vars(libcst).values():
        if isinstance(o, type):
            EXT |= set(dir(o)) | set(getattr(o, "__annotations__", {}))
    import javalang.tree as jt

    for o in vars(jt).values():
        if isinstance(o, type):
            EXT |= set(getattr(o, "attrs", []))
    import click

    for o in vars(click).values():
        if isinstance(o, type):
            EXT |= set(dir(o))
    import unittest.mock, tarfile, zipfile, http.server, socket, io, tempfile, docker, msgspec, git

    for mod in (
        unittest.mock,
        tarfile,
        zipfile,
        http.server,
        socket,
        io,
        tempfile,
        msgspec,
        git,
        argparse,
        logging,
    ):
        for o in vars(mod).values():
            if isinstance(o, type):
                EXT |= set(dir(o))
        EXT |= set(dir(mod))
except ImportError:
    pass
A = {}  # (rel,line,col)->(old,new) attribute edits


def attrpos(n):
    return (n.end_lineno, n.end_col_offset - len(n.attr.encode()))


methdefs = []
for (path, c, meth), new in P.items():
    m = mods[path]
    classes = [x for x in m.tree.body if isinstance(x, ast.ClassDef) and x.name == c]
    if not classes or not any(
        isinstance(y, (ast.FunctionDef, ast.AsyncFunctionDef)) and y.name == meth
        for y in classes[0].body
    ):
        skip("absentmethod", path, c, meth)
        continue
    if new in {y.name for y in classes[0].body if hasattr(y, "name")} or any(
        d[:2] == (path, c) for d in defs.get(new, ())
    ):
        skip("methodclash", path, c, meth, new)
        continue
    if meth.startswith("_"):
        other_definitions = [d for d in defs[meth] if d[:2] != (path, c)]
        if other_definitions and any(d[0] == path for d in other_definitions):
            skip("private twice in module", path, c, meth)
            continue
        uses = attr_by_name[meth]
        bad = [u for u in uses if u[0].rel == path and not (u[1] == c or True)]
        foreign = [u for u in uses if u[0].rel != path]
        if foreign:
            # uses in other files must belong to other classes with own definition there
            if any(not any(d[0] == u[0].rel for d in other_definitions) for u in foreign):
                skip("private foreign", path, c, meth, foreign[0][0].rel)
                continue
            # subclass check
            if any(c in bs and any(u[0] is mm for u in foreign) for mm, x, bs, nn in CLS):
                skip("private subclass", path, c, meth)
                continue
        if any(c in bs and meth in nn for mm, x, bs, nn in CLS):
            skip("private override", path, c, meth)
            continue
        # base class defining it
        bases = [ast.unparse(b).split(".")[-1].split("[")[0] for b in classes[0].bases]
        if any(d[1] in bases for d in other_definitions):
            skip("private base", path, c, meth)
            continue
        for u in uses:
            if u[0].rel == path:
                A[(path,) + attrpos(u[2])] = (meth, new)
        ok = True
    else:
        if len(defs[meth]) != 1 or meth in EXT or re.search(rf"[.\"']{meth}\b", tmpl):
            skip("public", path, c, meth)
            continue
        if any((a, meth) in R or meth in mods[a].top.bound for a in mods if (a, meth) in R):
            pass
        for mm, cls, n in attr_by_name[meth]:
            if isinstance(n.value, ast.Name) and n.value.id in alias[mm.rel]:
                continue
            if isinstance(n.value, ast.Name) and n.value.id in (
                "np",
                "pd",
                "os",
                "sys",
                "stats",
                "scipy",
            ):
                continue
            A[(mm.rel,) + attrpos(n)] = (meth, new)
    y = [
        y
        for y in classes[0].body
        if isinstance(y, (ast.FunctionDef, ast.AsyncFunctionDef)) and y.name == meth
    ]
    for z in y:
        methdefs.append((path, z, meth, new))
    log["method"] += 1
# Local renames per file: dict (scope)->{old:new}
L = collections.defaultdict(dict)


def keyword_use(fn, old):
    for m in mods.values():
        for sc, cls, c in m.calls:
            if any(k.arg == old for k in c.keywords):
                nm = (
                    c.func.attr
                    if isinstance(c.func, ast.Attribute)
                    else c.func.id
                    if isinstance(c.func, ast.Name)
                    else None
                )
                yield m, sc, c, nm


kwindex = collections.defaultdict(list)
for m in mods.values():
    for sc, cls, c in m.calls:
        for k in c.keywords:
            if k.arg:
                kwindex[k.arg].append((m, sc, c, k))
K = {}
for path, rows in V.items():
    if path not in mods:
        continue
    m = mods[path]
    for qual, old, new in rows:
        scs = [
            s
            for s in m.scopes
            if s.kind == "f" and (s.qual == qual or s.qual.startswith(qual + "."))
        ]
        if not scs:
            skip("noscope", path, qual)
            continue
        binds = [s for s in scs if old in s.bound]
        if not binds:
            skip("unbound", path, qual, old)
            continue
        used = {o[1] for o in m.occ if o[0] in scs}
        if new in used or any(new in s.bound for s in scs):
            skip("taken", path, qual, old, new)
            continue
        for s in binds:
            node = s.node
            isarg = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
                a.arg == old for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            )
            if isarg:
                if any(
                    not isinstance(d, (ast.Name, ast.Attribute))
                    or ast.unparse(d).split(".")[-1]
                    not in (
                        "property",
                        "staticmethod",
                        "classmethod",
                        "cache",
                        "contextmanager",
                        "cached_property",
                        "override",
                        "final",
                    )
                    for d in node.decorator_list
                ):
                    skip("decorated arg", path, qual, old)
                    continue
                fnm = node.name
                if fnm == "__init__":
                    fnm = s.qual.split(".")[-2]
                bad = False
                edits = []
                nested = "." in s.qual
                for mm, sc, c, k in kwindex[old]:
                    nm = (
                        c.func.attr
                        if isinstance(c.func, ast.Attribute)
                        else c.func.id
                        if isinstance(c.func, ast.Name)
                        else None
                    )
                    if nm == fnm or (
                        nm
                        and nm not in ()
                        and isinstance(c.func, ast.Name)
                        and any(isinstance(x, ast.Name) and x.id == fnm for x in c.args)
                    ):
                        if nested:
                            bad = True
                        elif mm.rel == path and isinstance(c.func, ast.Name):
                            edits.append((mm, k))
                        elif isinstance(c.func, ast.Name) and any(
                            isinstance(n2, ast.ImportFrom)
                            and a2.name == fnm
                            and modfile(target(mm, n2)) == path
                            for _, n2, a2 in mm.imports
                        ):
                            edits.append((mm, k))
                        elif (
                            isinstance(c.func, ast.Attribute)
                            and isinstance(c.func.value, ast.Name)
                            and alias[mm.rel].get(c.func.value.id) == path
                        ):
                            edits.append((mm, k))
                        elif isinstance(c.func, ast.Name) and nm == fnm:
                            pass
                        else:
                            bad = True
                # overrides
                if (
                    "." in s.qual
                    and len([d for d in defs[node.name] if len(d) == 2]) > 1
                    and not node.name.startswith("__")
                ):
                    if not node.name.startswith("_"):
                        skip("override arg", path, qual, old)
                        continue
                if bad:
                    skip("keyword arg", path, qual, old)
                    continue
                for mm, k in edits:
                    K[(mm.rel, k.lineno, k.col_offset)] = (old, new)
            L[id(s)][old] = new
            log["local"] += 1
# nested function names
for (path, qn), new in F.items():
    if path in mods and "." in qn:
        m = mods[path]
        outer, _, nm = qn.rpartition(".")
        for s in m.scopes:
            if (
                s.kind == "f"
                and s.qual == outer
                and nm in s.bound
                and not any(new in x.bound for x in m.scopes if x.qual.startswith(outer))
            ):
                L[id(s)][nm] = new
                log["nested"] += 1


# collisions: module-level names used in scopes where the new name is bound locally
def collide():
    bad = set()
    byrel = {}
    for (p, o), n in R.items():
        byrel.setdefault(p, {})[o] = n
    for m in mods.values():
        renamed = byrel.get(m.rel, {})
        for o, n in renamed.items():
            if n in m.top.bound:
                bad.add((m.rel, o, n, "top"))
            import builtins

            if hasattr(builtins, n):
                bad.add((m.rel, o, n, "builtin"))
        for sc, name, line, col, kind in m.occ:
            if name in renamed and m.resolve(sc, name) is m.top:
                s = sc
                nw = renamed[name]
                while s is not m.top:
                    fb = {L[id(s)].get(b, b) for b in s.bound} if s.kind != "c" else set()
                    if nw in fb:
                        bad.add((m.rel, name, nw, "local " + s.qual))
                    s = s.parent
        # two olds to one new
        inv = collections.Counter(renamed.values())
        for o, n in renamed.items():
            if inv[n] > 1:
                bad.add((m.rel, o, n, "double"))
    return bad


for _ in range(5):
    bad = collide()
    if not bad:
        break
    news = {(n, o) for _, o, n, _ in bad}
    for b in bad:
        skip("collision", *b)
    # drop origins whose (old,new) collide
    for k in list(origins):
        if (origins[k], k[1]) in news:
            del origins[k]
    R = dict(origins)
    close(R)
# build edits
edits = collections.defaultdict(dict)


def add(rel, line, col, old, new):
    ln = mods[rel].lines[line - 1]
    if ln[col : col + len(old.encode())] != old.encode():
        skip("mismatch", rel, line, old, ln[col : col + 20].decode(errors="replace"))
        return
    edits[rel][line, col] = (old, new)


for m in mods.values():
    nonimp = {(id(o[0]), o[1]) for o in m.occ if o[4] != "load"}
    for sc, name, line, col, kind in m.occ:
        r = m.resolve(sc, name)
        if r is None:
            continue
        if r is m.top:
            if (m.rel, name) in R:
                add(m.rel, line, col, name, R[m.rel, name])
        elif name in L[id(r)]:
            add(m.rel, line, col, name, L[id(r)][name])
    for sc, n, a in m.imports:
        if isinstance(n, ast.ImportFrom):
            f = modfile(target(m, n))
            if f and (f, a.name) in R:
                new = R[f, a.name]
                add(m.rel, a.lineno, a.col_offset, a.name, new)
                if a.asname == a.name:
                    add(m.rel, a.end_lineno, a.end_col_offset - len(a.name), a.name, new)
                if a.asname is None and sc is not m.top:
                    for s2, name, line, col, kind in m.occ:
                        if name == a.name and m.resolve(s2, name) is sc:
                            add(m.rel, line, col, name, new)
    for sc, cls, n in m.attrs:
        f = None
        if isinstance(n.value, ast.Name):
            r = m.resolve(sc, n.value.id)
            if r is not None and n.value.id in alias[m.rel] and (id(r), n.value.id) not in nonimp:
                f = alias[m.rel].get(n.value.id)
        else:
            try:
                f = modfile(ast.unparse(n.value))
            except Exception:
                f = None
        if f and (f, n.attr) in R:
            add(m.rel, *attrpos(n), n.attr, R[f, n.attr])
    for sc, cls, c in m.calls:
        nm = c.func.attr if isinstance(c.func, ast.Attribute) else getattr(c.func, "id", None)
        if (
            nm in ("setattr", "getattr", "delattr", "hasattr", "object")
            and len(c.args) >= 2
            and isinstance(c.args[0], ast.Name)
            and isinstance(c.args[1], ast.Constant)
        ):
            f = alias[m.rel].get(c.args[0].id)
            v = c.args[1].value
            if f and (f, v) in R:
                add(m.rel, c.args[1].lineno, c.args[1].col_offset + 1, v, R[f, v])
            elif isinstance(v, str) and any(k[2] == v for k in P):
                print("STRING", m.rel, c.lineno, ast.unparse(c)[:100])
    for x in ast.walk(m.tree):
        if (
            isinstance(x, ast.Constant)
            and isinstance(x.value, str)
            and re.fullmatch(r"[\w.]+\.\w+", x.value)
        ):
            mo, _, nm = x.value.rpartition(".")
            f = modfile(mo)
            if f and (f, nm) in R:
                add(m.rel, x.lineno, x.col_offset + 1, x.value, mo + "." + R[f, nm])
            elif f is None and modfile(mo.rpartition(".")[0]):
                ff = modfile(mo.rpartition(".")[0])
                print("DOTTED", m.rel, x.lineno, x.value)
        # quoted annotations
        for field in ("annotation", "returns", "slice"):
            a = getattr(x, field, None)
            if isinstance(a, ast.AST):
                for y in ast.walk(a):
                    if isinstance(y, ast.Constant) and isinstance(y.value, str):
                        if (m.rel, y.value) in R:
                            add(m.rel, y.lineno, y.col_offset + 1, y.value, R[m.rel, y.value])
    for x in m.tree.body:
        if isinstance(x, ast.Assign) and getattr(x.targets[0], "id", "") == "__all__":
            for y in ast.walk(x):
                if isinstance(y, ast.Constant) and (m.rel, y.value) in R:
                    add(m.rel, y.lineno, y.col_offset + 1, y.value, R[m.rel, y.value])
for (rel, line, col), (o, n) in A.items():
    add(rel, line, col, o, n)
for (rel, line, col), (o, n) in K.items():
    add(rel, line, col, o, n)
for path, z, o, n in methdefs:
    add(path, *mods[path].find(z.lineno, z.col_offset + 3, o), o, n)
# keyword params of module-level functions renamed handled in K. docstrings in backticks:
BYREL = {}
for (p, o), n in R.items():
    BYREL.setdefault(p, {})[o] = n
for rel, es in edits.items():
    m = mods[rel]
    lines = list(m.lines)
    for (line, col), (o, n) in sorted(es.items(), reverse=True):
        l = lines[line - 1]
        lines[line - 1] = l[:col] + n.encode() + l[col + len(o.encode()) :]
    text = b"\n".join(lines)
    for o, n in BYREL.get(rel, {}).items():
        text = text.replace(f"`{o}`".encode(), f"`{n}`".encode())
    m.path.write_bytes(text)
log["module-level"] = len(origins)
log["edits"] = sum(len(e) for e in edits.values())
print(dict(log))
json.dump([list(map(str, s)) for s in skips], open("skips.json", "w"), indent=0)
