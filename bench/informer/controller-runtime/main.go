// Command controller-runtime measures the cache of controller-runtime against the benchmark's server: arguments as those of the other
// candidates, the same JSON on standard output.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"k8s.io/apimachinery/pkg/api/meta"
)

// WidgetStatus is what the operator says.
type WidgetStatus struct {
	Ready int `json:"ready,omitempty"`
}

// Widget is the benchmark's kind.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              map[string]string `json:"spec,omitempty"`
	Status            WidgetStatus      `json:"status,omitempty"`
}

// WidgetList is a list of them.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

// DeepCopyObject copies what the cache hands out.
func (w *Widget) DeepCopyObject() runtime.Object {
	copied := *w
	w.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	copied.Spec = make(map[string]string, len(w.Spec))
	for name, value := range w.Spec {
		copied.Spec[name] = value
	}
	return &copied
}

// DeepCopyObject copies a list.
func (l *WidgetList) DeepCopyObject() runtime.Object {
	copied := *l
	copied.Items = make([]Widget, len(l.Items))
	for index := range l.Items {
		copied.Items[index] = *l.Items[index].DeepCopyObject().(*Widget)
	}
	return &copied
}

var groupVersion = schema.GroupVersion{Group: "example.com", Version: "v1"}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// peak is the largest resident set so far, in megabytes.
func peak() float64 {
	status, err := os.ReadFile("/proc/self/status")
	check(err)
	for _, line := range strings.Split(string(status), "\n") {
		if strings.HasPrefix(line, "VmHWM:") {
			kilobytes, err := strconv.ParseFloat(strings.Fields(line)[1], 64)
			check(err)
			return kilobytes / 1024
		}
	}
	return 0
}

func main() {
	address := os.Args[1]
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(groupVersion, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{groupVersion})
	mapper.Add(groupVersion.WithKind("Widget"), meta.RESTScopeNamespace)
	widgets, err := cache.New(&rest.Config{Host: address}, cache.Options{
		Scheme:   scheme,
		Mapper:   mapper,
		ByObject: map[client.Object]cache.ByObject{&Widget{}: {Transform: cache.TransformStripManagedFields()}},
	})
	check(err)
	ctx := context.Background()
	var changes atomic.Int64
	start := time.Now()
	informer, err := widgets.GetInformer(ctx, &Widget{}, cache.BlockUntilSynced(false))
	check(err)
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) {},
		UpdateFunc: func(any, any) { changes.Add(1) },
	})
	check(err)
	go func() { check(widgets.Start(ctx)) }()
	if !widgets.WaitForCacheSync(ctx) {
		log.Fatal("not synced")
	}
	measured := map[string]float64{"sync": time.Since(start).Seconds() * 1000, "syncPeak": peak()}
	if len(os.Args) < 3 || os.Args[2] == "all" {
		time.Sleep(200 * time.Millisecond)
		const count = 40000
		seen := changes.Load()
		response, err := http.Get(fmt.Sprintf("%s/burst?events=%d", address, count))
		check(err)
		body := bufio.NewReader(response.Body)
		_, err = body.Peek(5)
		check(err)
		began := time.Now()
		go func() { _, _ = io.Copy(io.Discard, body) }()
		for changes.Load() < seen+count {
			time.Sleep(time.Millisecond)
		}
		measured["events"] = count / time.Since(began).Seconds()
	}
	check(json.NewEncoder(os.Stdout).Encode(measured))
}
