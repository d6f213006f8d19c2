// Prints what the OpenAPI documents of Kubernetes do not say of its Go types: which members are pointers, which are left out when
// empty, which stand in embedded structs, and what their types are called in messages.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes/scheme"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// By the name of a type's schema and the name of a member: its flags (p: pointer, o: omitempty, z: omitzero), its type where it has a
// name of its own, and the embedded structs on the way to it, as `flags|type|embedded` without the empty end.
var types = map[string]map[string]string{}

var marshaler = reflect.TypeFor[json.Marshaler]()

func main() {
	for _, add := range []func(){
		func() { must(apiextensions.AddToScheme(scheme.Scheme)) },
		func() { must(aggregator.AddToScheme(scheme.Scheme)) },
	} {
		add()
	}
	for _, known := range scheme.Scheme.AllKnownTypes() {
		visit(known)
	}
	must(json.NewEncoder(os.Stdout).Encode(types))
}

func visit(found reflect.Type) {
	for found.Kind() == reflect.Pointer || found.Kind() == reflect.Slice || found.Kind() == reflect.Map {
		found = found.Elem()
	}
	if found.Kind() != reflect.Struct || !strings.HasPrefix(found.PkgPath(), "k8s.io/") {
		return
	}
	if found.Implements(marshaler) || reflect.PointerTo(found).Implements(marshaler) {
		return
	}
	name := openAPIName(found)
	if types[name] != nil {
		return
	}
	types[name] = map[string]string{}
	members(types[name], found, "")
}

func members(into map[string]string, owner reflect.Type, embedded string) {
	for index := range owner.NumField() {
		member := owner.Field(index)
		name, options, _ := strings.Cut(member.Tag.Get("json"), ",")
		if name == "-" || !member.IsExported() {
			continue
		}
		if member.Anonymous && name == "" {
			// The type of a document is no part of the path to its members.
			inner := embedded + member.Name + "."
			members(into, member.Type, inner)
			continue
		}
		if name == "" {
			name = member.Name
		}
		flags := ""
		kind := member.Type
		if kind.Kind() == reflect.Pointer {
			flags += "p"
			kind = kind.Elem()
		}
		for _, option := range strings.Split(options, ",") {
			switch option {
			case "omitempty":
				flags += "o"
			case "omitzero":
				flags += "z"
			}
		}
		into[name] = strings.TrimRight(flags+"|"+named(kind)+"|"+strings.TrimSuffix(embedded, "."), "|")
		visit(kind)
	}
}

// named is what messages call a type that is no struct but has a name, or is a list or map of such.
func named(kind reflect.Type) string {
	element := kind
	for element.Name() == "" && (element.Kind() == reflect.Slice || element.Kind() == reflect.Map) {
		element = element.Elem()
	}
	if element.PkgPath() == "" || element.Kind() == reflect.Struct {
		return ""
	}
	return kind.String()
}

func openAPIName(found reflect.Type) string {
	parts := strings.SplitN(found.PkgPath(), "/", 2)
	host := strings.Split(parts[0], ".")
	for left, right := 0, len(host)-1; left < right; left, right = left+1, right-1 {
		host[left], host[right] = host[right], host[left]
	}
	return strings.Join(host, ".") + "." + strings.ReplaceAll(parts[1], "/", ".") + "." + found.Name()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
