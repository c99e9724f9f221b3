package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// look goes through a file.
type look struct {
	work   *work
	set    *token.FileSet
	info   *types.Info
	pkg    *types.Package
	file   *ast.File
	called map[ast.Expr]bool // functions of calls, which need no second look
	edits  []edit
}

func (l *look) visit(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.CallExpr:
		l.call(node)
	case *ast.SelectorExpr:
		l.value(node, node)
	case *ast.Ident:
		l.value(node, node)
	case *ast.IndexExpr:
		l.value(node, node.X)
	case *ast.IndexListExpr:
		l.value(node, node.X)
	}
	return true
}

// around puts text around an expression.
func (l *look) around(node ast.Node, before string) {
	order := len(l.edits)
	l.edits = append(l.edits,
		edit{at: l.set.Position(node.Pos()).Offset, order: order, text: guestName + "." + before},
		edit{at: l.set.Position(node.End()).Offset, order: order, end: true, text: ")"},
	)
}

// method returns the number of what is called, if the library has it.
func (l *look) method(function *types.Func) (int, bool) {
	if function == nil || function.Pkg() == nil || !l.work.library[function.Pkg().Path()] {
		return 0, false
	}
	number, ok := l.work.numbers[id(function.Origin())]
	return number, ok
}

// id returns how a function is written: import/path.Function or import/path.Type.Method.
func id(function *types.Func) string {
	receiver := function.Type().(*types.Signature).Recv()
	if receiver == nil {
		return function.Pkg().Path() + "." + function.Name()
	}
	of := receiver.Type()
	if pointer, ok := of.(*types.Pointer); ok {
		of = pointer.Elem()
	}
	if named, ok := of.(*types.Named); ok {
		return function.Pkg().Path() + "." + named.Obj().Name() + "." + function.Name()
	}
	return ""
}

// inside returns what parentheses or type arguments are around, nil for anything else.
func inside(node ast.Expr) ast.Expr {
	switch node := node.(type) {
	case *ast.ParenExpr:
		return node.X
	case *ast.IndexExpr:
		return node.X
	case *ast.IndexListExpr:
		return node.X
	}
	return nil
}

// bare leaves out parentheses and type arguments.
func bare(node ast.Expr) ast.Expr {
	for inner := node; inner != nil; inner = inside(inner) {
		node = inner
	}
	return node
}

// mark notes what needs no second look.
func (l *look) mark(node ast.Expr) {
	for inner := node; inner != nil; inner = inside(inner) {
		l.called[inner] = true
		if selector, ok := inner.(*ast.SelectorExpr); ok {
			l.called[selector.Sel] = true
		}
	}
}

func (l *look) call(node *ast.CallExpr) {
	if kind := l.info.Types[node.Fun]; kind.IsType() || kind.IsBuiltin() {
		return
	}
	inner := bare(node.Fun)
	selector, isSelector := inner.(*ast.SelectorExpr)
	if isSelector {
		if selection := l.info.Selections[selector]; selection != nil {
			l.mark(node.Fun)
			l.methodCall(node, selector, selection)
			return
		}
	}
	function, name := l.function(inner)
	number, ok := l.method(function)
	if !ok {
		return
	}
	l.mark(node.Fun)
	explicit := l.explicit(node.Fun, name)
	if explicit == nil {
		l.unseen(node, "the types that it is called with cannot be written where it is called")
		return
	}
	l.sample(number, node)
	l.around(node.Fun, fmt.Sprintf("F(%d, ", number))
	l.insert(name.End(), *explicit)
}

// function returns the function that a plain or qualified name means, and the name itself.
func (l *look) function(node ast.Expr) (*types.Func, *ast.Ident) {
	name, ok := node.(*ast.Ident)
	if selector, is := node.(*ast.SelectorExpr); is {
		name, ok = selector.Sel, true
	}
	if !ok {
		return nil, nil
	}
	function, _ := l.info.Uses[name].(*types.Func)
	return function, name
}

func (l *look) insert(at token.Pos, text string) {
	if text != "" {
		// Before what closes around it, so its order is the last.
		l.edits = append(l.edits, edit{at: l.set.Position(at).Offset, order: 1 << 30, end: true, text: text})
	}
}

// explicit returns the type arguments that have to be written where they were inferred: what is
// handed over as a value has none to infer them from. Nil: they cannot be written.
func (l *look) explicit(whole ast.Expr, name *ast.Ident) *string {
	nothing := ""
	instance, ok := l.info.Instances[name]
	if !ok {
		return &nothing
	}
	given := 0
	for node := whole; node != nil; {
		switch inner := node.(type) {
		case *ast.ParenExpr:
			node = inner.X
			continue
		case *ast.IndexExpr:
			given = 1
		case *ast.IndexListExpr:
			given = len(inner.Indices)
		}
		break
	}
	if given == instance.TypeArgs.Len() {
		return &nothing
	}
	if given > 0 {
		return nil
	}
	var names []string
	for at := 0; at < instance.TypeArgs.Len(); at++ {
		text, ok := l.written(instance.TypeArgs.At(at), name.Pos())
		if !ok {
			return nil
		}
		names = append(names, text)
	}
	made := "[" + strings.Join(names, ", ") + "]"
	return &made
}

// written returns a type as it can be written at a place, if all its names mean there what they
// should.
func (l *look) written(of types.Type, at token.Pos) (string, bool) {
	good := true
	scope := l.pkg.Scope().Innermost(at)
	text := types.TypeString(of, func(pkg *types.Package) string {
		if pkg == l.pkg {
			return ""
		}
		for _, one := range l.file.Imports {
			if path, _ := strconv.Unquote(one.Path.Value); path == pkg.Path() {
				name := pkg.Name()
				if one.Name != nil {
					name = one.Name.Name
				}
				if _, found := scope.LookupParent(name, at); found != nil {
					if imported, ok := found.(*types.PkgName); ok && imported.Imported() == pkg {
						return name
					}
				}
			}
		}
		good = false
		return pkg.Name()
	})
	return text, good && l.visible(of, scope, at)
}

// visible tells whether the names of the package's own types, and of basic ones, mean these types.
func (l *look) visible(of types.Type, scope *types.Scope, at token.Pos) bool {
	means := func(name string, object types.Object) bool {
		_, found := scope.LookupParent(name, at)
		return found == object
	}
	switch of := of.(type) {
	case *types.Basic:
		return means(of.Name(), types.Universe.Lookup(of.Name()))
	case *types.Named:
		if of.TypeArgs().Len() > 0 {
			return false
		}
		if of.Obj().Pkg() == nil || of.Obj().Pkg() == l.pkg {
			return means(of.Obj().Name(), of.Obj())
		}
		return of.Obj().Exported()
	case *types.TypeParam:
		return means(of.Obj().Name(), of.Obj())
	case *types.Pointer:
		return l.visible(of.Elem(), scope, at)
	case *types.Slice:
		return l.visible(of.Elem(), scope, at)
	case *types.Array:
		return l.visible(of.Elem(), scope, at)
	case *types.Map:
		return l.visible(of.Key(), scope, at) && l.visible(of.Elem(), scope, at)
	case *types.Interface:
		return of.Empty()
	}
	return false
}

func (l *look) methodCall(node *ast.CallExpr, selector *ast.SelectorExpr, selection *types.Selection) {
	function, _ := selection.Obj().(*types.Func)
	if function == nil {
		return
	}
	if selection.Kind() == types.MethodExpr {
		if number, ok := l.method(function); ok {
			l.around(node.Fun, fmt.Sprintf("F(%d, ", number))
		}
		return
	}
	if types.IsInterface(selection.Recv()) {
		if l.work.named[function.Name()] {
			l.around(selector.X, fmt.Sprintf("I(%q, ", function.Name()))
		}
		return
	}
	number, ok := l.method(function)
	if !ok {
		return
	}
	l.sample(number, node)
	l.around(selector.X, fmt.Sprintf("V(%d, %s", number, l.address(selector, function)))
}

// address returns what makes a pointer of a value whose method has a pointer as its receiver.
func (l *look) address(selector *ast.SelectorExpr, function *types.Func) string {
	_, wanted := function.Type().(*types.Signature).Recv().Type().(*types.Pointer)
	value := l.info.Types[selector.X]
	if value.Type == nil {
		return ""
	}
	_, is := value.Type.Underlying().(*types.Pointer)
	if !is && wanted && value.Addressable() {
		return "&"
	}
	return ""
}

// value looks at what may be a function that is handed around.
func (l *look) value(node ast.Expr, inner ast.Expr) {
	if l.called[node] || l.called[inner] {
		return
	}
	if selector, ok := inner.(*ast.SelectorExpr); ok {
		l.called[selector.Sel] = true
		if selection := l.info.Selections[selector]; selection != nil {
			function, _ := selection.Obj().(*types.Func)
			number, ok := l.method(function)
			if ok && !types.IsInterface(selection.Recv()) {
				l.around(node, fmt.Sprintf("R(%d, ", number))
			}
			return
		}
	}
	function, name := l.function(inner)
	number, ok := l.method(function)
	if !ok {
		return
	}
	l.mark(node)
	explicit := l.explicit(node, name)
	if explicit == nil {
		l.unseen(node, "the types of what is handed around cannot be written there")
		return
	}
	l.around(node, fmt.Sprintf("R(%d, ", number))
	l.insert(name.End(), *explicit)
}

func (l *look) unseen(node ast.Node, why string) {
	l.work.unseen[l.set.Position(node.Pos()).String()] = why
}

// sample keeps the arguments of some calls that are constants.
func (l *look) sample(number int, node *ast.CallExpr) {
	key := strconv.Itoa(number)
	if len(l.work.arguments[key]) >= samples {
		return
	}
	var texts []*string
	simple := false
	for _, each := range node.Args {
		text := l.simple(each)
		simple = simple || text != nil
		texts = append(texts, text)
	}
	if simple {
		l.work.arguments[key] = append(l.work.arguments[key], texts)
	}
}

func (l *look) simple(node ast.Expr) *string {
	value := l.info.Types[node].Value
	if value == nil {
		if conversion, ok := node.(*ast.CallExpr); ok && l.info.Types[conversion.Fun].IsType() && len(conversion.Args) == 1 {
			slice, isSlice := l.info.Types[conversion.Fun].Type.(*types.Slice)
			inner := l.simple(conversion.Args[0])
			if isSlice && inner != nil && types.Identical(slice.Elem(), types.Typ[types.Byte]) {
				made := "[]byte(" + *inner + ")"
				return &made
			}
		}
		return nil
	}
	text := value.ExactString()
	if value.Kind() == constant.String {
		text = strconv.Quote(constant.StringVal(value))
	}
	if len(text) > 60 || value.Kind() == constant.Float && strings.Contains(text, "/") {
		return nil
	}
	return &text
}
