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

// The kind is the Ec2Instance of fixtures/compute, typed as controller-gen has it.

// BlockDevice is a disk attached to an instance.
type BlockDevice struct {
	DeviceName string `json:"deviceName"`
	SizeGiB    int32  `json:"sizeGiB,omitempty"`
	Type       string `json:"type,omitempty"`
	Encrypted  *bool  `json:"encrypted,omitempty"`
}

// LocalObjectReference names an object.
type LocalObjectReference struct {
	Name string `json:"name,omitempty"`
}

// Ec2InstanceSpec is the wanted state of an instance.
type Ec2InstanceSpec struct {
	Region           string               `json:"region"`
	AmiID            string               `json:"amiID"`
	InstanceType     string               `json:"instanceType,omitempty"`
	SubnetID         *string              `json:"subnetID,omitempty"`
	SecurityGroupIDs []string             `json:"securityGroupIDs,omitempty"`
	BlockDevices     []BlockDevice        `json:"blockDevices,omitempty"`
	Tags             map[string]string    `json:"tags,omitempty"`
	CredentialsRef   LocalObjectReference `json:"credentialsRef"`
}

// Ec2InstanceStatus is the seen state of an instance.
type Ec2InstanceStatus struct {
	InstanceID string       `json:"instanceID,omitempty"`
	State      string       `json:"state,omitempty"`
	PublicIP   string       `json:"publicIP,omitempty"`
	PrivateIP  string       `json:"privateIP,omitempty"`
	PublicDNS  string       `json:"publicDNS,omitempty"`
	PrivateDNS string       `json:"privateDNS,omitempty"`
	LaunchTime *metav1.Time `json:"launchTime,omitempty"`
}

// Ec2Instance is a virtual machine.
type Ec2Instance struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Ec2InstanceSpec   `json:"spec"`
	Status            Ec2InstanceStatus `json:"status,omitempty"`
}

// Ec2InstanceList is a list of them.
type Ec2InstanceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Ec2Instance `json:"items"`
}

// DeepCopyObject copies what the cache hands out.
func (i *Ec2Instance) DeepCopyObject() runtime.Object {
	copied := *i
	i.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	if i.Spec.SubnetID != nil {
		subnet := *i.Spec.SubnetID
		copied.Spec.SubnetID = &subnet
	}
	copied.Spec.SecurityGroupIDs = append([]string(nil), i.Spec.SecurityGroupIDs...)
	copied.Spec.BlockDevices = append([]BlockDevice(nil), i.Spec.BlockDevices...)
	for index := range copied.Spec.BlockDevices {
		if encrypted := copied.Spec.BlockDevices[index].Encrypted; encrypted != nil {
			value := *encrypted
			copied.Spec.BlockDevices[index].Encrypted = &value
		}
	}
	copied.Spec.Tags = make(map[string]string, len(i.Spec.Tags))
	for name, value := range i.Spec.Tags {
		copied.Spec.Tags[name] = value
	}
	copied.Status.LaunchTime = i.Status.LaunchTime.DeepCopy()
	return &copied
}

// DeepCopyObject copies a list.
func (l *Ec2InstanceList) DeepCopyObject() runtime.Object {
	copied := *l
	copied.Items = make([]Ec2Instance, len(l.Items))
	for index := range l.Items {
		copied.Items[index] = *l.Items[index].DeepCopyObject().(*Ec2Instance)
	}
	return &copied
}

var groupVersion = schema.GroupVersion{Group: "compute.cloud.com", Version: "v1"}

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
	scheme.AddKnownTypes(groupVersion, &Ec2Instance{}, &Ec2InstanceList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{groupVersion})
	mapper.Add(groupVersion.WithKind("Ec2Instance"), meta.RESTScopeNamespace)
	// As controller-runtime's own configuration has it: no limit on the client's side, which would make pages wait for one another.
	instances, err := cache.New(&rest.Config{Host: address, QPS: -1}, cache.Options{
		Scheme:   scheme,
		Mapper:   mapper,
		ByObject: map[client.Object]cache.ByObject{&Ec2Instance{}: {Transform: cache.TransformStripManagedFields()}},
	})
	check(err)
	ctx := context.Background()
	var changes atomic.Int64
	start := time.Now()
	informer, err := instances.GetInformer(ctx, &Ec2Instance{}, cache.BlockUntilSynced(false))
	check(err)
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) {},
		UpdateFunc: func(any, any) { changes.Add(1) },
	})
	check(err)
	go func() { check(instances.Start(ctx)) }()
	if !instances.WaitForCacheSync(ctx) {
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
