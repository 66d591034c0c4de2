#!/usr/bin/env bash
# A Kubernetes of one node on a machine without an image registry, for `npm run drill -- cluster`: etcd and containerd from Debian, Kubernetes
# 1.31, CoreDNS, metrics-server and KEDA built from Go modules. For a throw-away Debian 12 machine with Go 1.26, as root. Everything lies
# below $ONE_NODE (~/.cache/loyaltyd/one-node); of the system only iptables, a bridge and cgroups are used, and `down` takes those out again.
#
#   bash test/drill/cluster/one-node.sh build          once: 16 minutes on 2 cores, 1 of them downloads
#   bash test/drill/cluster/one-node.sh up IMAGES.tar  90 s; images as `docker save` writes them
#   export KUBECONFIG=~/.cache/loyaltyd/one-node/pki/admin.conf PATH=~/.cache/loyaltyd/one-node/bin:$PATH
#   npm run drill -- cluster
#   bash test/drill/cluster/one-node.sh down
set -euo pipefail
export K=${ONE_NODE:-${XDG_CACHE_HOME:-$HOME/.cache}/loyaltyd/one-node}
export NODE_IP=${NODE_IP:-$(hostname -I | cut -d' ' -f1)}
export POD_CIDR=10.244.0.0/24 BRIDGE_IP=10.244.0.1 SVC_CIDR=10.96.0.0/16 BRIDGE=kcni0
export V=v1.31.4 KEDA=v2.21.0
export DEB=$K/deb/root
export PATH=$K/bin:$DEB/usr/bin:$DEB/usr/sbin:/usr/local/go/bin:$PATH
export KUBECONFIG=$K/pki/admin.conf
SOCK=$K/ctd/c.sock
ctr() { command ctr -a "$SOCK" -n k8s.io "$@"; }
# start NAME cmd...: in the background, its PID in $K/run/NAME.pid
start() { local n=$1; shift; mkdir -p $K/run $K/log; setsid "$@" >$K/log/$n.log 2>&1 </dev/null & echo $! >$K/run/$n.pid; }
# reached SERVICE: until kube-proxy leads to it. Before that a connection to its address leads out of this machine, to whoever answers
# there, and the API server keeps it.
reached() { local i; for i in $(seq 60); do iptables -t nat -S 2>/dev/null | grep -q -- "kube-system/$1 -> " && return; sleep 1; done; echo "nothing leads to $1" >&2; return 1; }
stop() { local p; p=$(cat $K/run/$1.pid 2>/dev/null) && kill ${2:--TERM} $p 2>/dev/null; rm -f $K/run/$1.pid; }

# image OUT.tar NAME FOLDER CONFIG: a folder becomes what `docker save` would write, one layer.
image() {
  python3 - "$@" <<'PY'
import hashlib, io, json, sys, tarfile, subprocess, os, tempfile
out, name, rootfs, config = sys.argv[1:5]
layer = tempfile.NamedTemporaryFile(suffix='.tar', dir=os.path.dirname(os.path.abspath(out)), delete=False)
subprocess.run(['tar', '--numeric-owner', '--owner=0', '--group=0', '--exclude=./proc/*', '--exclude=./sys/*', '--exclude=./dev/*', '-C', rootfs, '-cf', layer.name, '.'], check=True)
h = hashlib.sha256()
with open(layer.name, 'rb') as f:
    for b in iter(lambda: f.read(1 << 20), b''): h.update(b)
diff = 'sha256:' + h.hexdigest()
cfg = json.dumps({'architecture': 'amd64', 'os': 'linux', 'config': json.loads(config), 'rootfs': {'type': 'layers', 'diff_ids': [diff]}, 'history': [{'created_by': 'mkimage'}]}).encode()
cname = hashlib.sha256(cfg).hexdigest() + '.json'
man = json.dumps([{'Config': cname, 'RepoTags': [name], 'Layers': ['layer.tar']}]).encode()
with tarfile.open(out, 'w') as t:
    t.add(layer.name, 'layer.tar')
    for n, b in ((cname, cfg), ('manifest.json', man)):
        i = tarfile.TarInfo(n); i.size = len(b); t.addfile(i, io.BytesIO(b))
os.unlink(layer.name)
PY
}

download() {
  mkdir -p $K/{bin,deb,src,coredns,log}
cd $K/deb
apt-get update -qq || true
apt-get download -qq etcd-server etcd-client containernetworking-plugins conntrack libnetfilter-conntrack3 libnfnetlink0 \
  containerd runc iptables
for d in *.deb; do dpkg -x "$d" root; done          # not installed: no service is started, no file of the system changes
export GOTOOLCHAIN=local
d=$(cd /tmp && go mod download -json k8s.io/kubernetes@$V | sed -n 's/.*"Dir": "\(.*\)",*/\1/p')
[ -f $K/src/go.mod ] || cp -r --no-preserve=mode "$d/." $K/src
cd $K/src && rm -rf go.work go.work.sum vendor
sed -i -E '/=> \.\/staging/d; /k8s.io\/sample-apiserver/d; s#(k8s\.io/[a-z-]+) v0\.0\.0( //.*)?$#\1 v0'${V#v1}'\2#' go.mod
sed -i '/^replace ($/,/^)$/d' go.mod
GOFLAGS=-mod=mod go mod download
# CoreDNS with six plugins; its client-go is the one of Kubernetes, so that it is compiled once.
d=$(cd /tmp && go mod download -json github.com/coredns/coredns@v1.11.4 | sed -n 's/.*"Dir": "\(.*\)",*/\1/p')
[ -f $K/coredns/src/go.mod ] || { mkdir -p $K/coredns/src; cp -r --no-preserve=mode "$d/." $K/coredns/src; }
cd $K/coredns/src
{ echo 'package plugin'; for p in bind cache errors kubernetes log whoami; do echo "import _ \"github.com/coredns/coredns/plugin/$p\""; done; } > core/plugin/zplugin.go
for m in api apimachinery client-go; do go mod edit -require k8s.io/$m@v0${V#v1}; done
GOFLAGS=-mod=mod go mod download
# What tells how much pods use, for autoscaling.
d=$(cd /tmp && go mod download -json sigs.k8s.io/metrics-server@v0.7.2 | sed -n 's/.*"Dir": "\(.*\)",*/\1/p')
[ -f $K/metrics/src/go.mod ] || { mkdir -p $K/metrics/src; cp -r --no-preserve=mode "$d/." $K/metrics/src; }
cd $K/metrics/src && GOFLAGS=-mod=mod go mod download
# KEDA scales by a consumer group's lag. It names modules that only its tests take: what two of its programs take is downloaded.
d=$(cd /tmp && go mod download -json github.com/kedacore/keda/v2@$KEDA | sed -n 's/.*"Dir": "\(.*\)",*/\1/p')
[ -f $K/keda/src/go.mod ] || { mkdir -p $K/keda/src; cp -r --no-preserve=mode "$d/." $K/keda/src; }
cd $K/keda/src && GOFLAGS=-mod=mod go list -deps ./cmd/operator ./cmd/adapter >/dev/null

}

compile() {
export GOTOOLCHAIN=local GOFLAGS=-mod=mod CGO_ENABLED=0
cd $K/src
p=k8s.io/component-base/version
go build -trimpath -o $K/bin/ -ldflags "-s -w -X $p.gitVersion=$V -X $p.gitMajor=1 -X $p.gitMinor=31 -X k8s.io/client-go/pkg/version.gitVersion=$V" \
  ./cmd/kube-apiserver ./cmd/kube-controller-manager ./cmd/kube-scheduler ./cmd/kubelet ./cmd/kubectl ./cmd/kube-proxy
# pause: sleeps for ever, reaps children
mkdir -p $K/pause && cd $K/pause && cat > main.go <<'G'
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	c := make(chan os.Signal, 8)
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for s := range c {
		if s != syscall.SIGCHLD {
			os.Exit(0)
		}
		for {
			if p, e := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); p <= 0 || e != nil {
				break
			}
		}
	}
}
G
[ -f go.mod ] || go mod init pause
go build -trimpath -ldflags '-s -w' -o rootfs/pause .
image $K/pause.tar localhost/pause:3.9 rootfs '{"Entrypoint":["/pause"],"User":"65535:65535"}' 
cd $K/coredns/src && go build -trimpath -ldflags '-s -w' -o $K/bin/coredns .
cd $K/metrics/src && go build -trimpath -ldflags '-s -w' -o $K/bin/metrics-server ./cmd/metrics-server
cd $K/keda/src
for c in operator adapter; do
  go build -trimpath -ldflags "-s -w -X github.com/kedacore/keda/v2/version.Version=${KEDA#v}" -o $K/bin/keda-$c ./cmd/$c
done
kubectl kustomize config/crd >$K/keda/crd.yaml

}

certificates() {
mkdir -p $K/pki && cd $K/pki
[ -f ca.key ] || openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 30 -subj /CN=k8s-try -addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature 2>/dev/null
[ -f sa.key ] || { openssl genrsa -out sa.key 2048 2>/dev/null; openssl rsa -in sa.key -pubout -out sa.pub 2>/dev/null; }
cert() { # name subject [san]
  openssl req -newkey rsa:2048 -nodes -keyout $1.key -out $1.csr -subj "$2" 2>/dev/null
  printf 'extendedKeyUsage=serverAuth,clientAuth\nkeyUsage=digitalSignature,keyEncipherment\n%s\n' "${3:+subjectAltName=$3}" > $1.ext
  openssl x509 -req -in $1.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile $1.ext -out $1.crt 2>/dev/null
}
conf() { # name
  kubectl config --kubeconfig $1.conf set-cluster k --server https://$NODE_IP:6443 --certificate-authority $K/pki/ca.crt --embed-certs >/dev/null
  kubectl config --kubeconfig $1.conf set-credentials u --client-certificate $1.crt --client-key $1.key --embed-certs >/dev/null
  kubectl config --kubeconfig $1.conf set-context k --cluster k --user u >/dev/null
  kubectl config --kubeconfig $1.conf use-context k >/dev/null
}
cert apiserver /CN=kube-apiserver "DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local,DNS:localhost,IP:127.0.0.1,IP:$NODE_IP,IP:10.96.0.1"
cert kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client
cert front-proxy /CN=front-proxy-client
cert admin /O=system:masters/CN=admin; conf admin
cert kcm /CN=system:kube-controller-manager; conf kcm
cert scheduler /CN=system:kube-scheduler; conf scheduler
cert proxy /CN=system:kube-proxy; conf proxy
cert node /O=system:nodes/CN=system:node:vm "DNS:vm,IP:$NODE_IP,IP:127.0.0.1"; conf node
cert coredns /O=system:masters/CN=coredns; conf coredns
cert metrics /O=system:masters/CN=metrics; conf metrics
cert keda /O=system:masters/CN=keda IP:127.0.0.1; conf keda

}

up() {
  certificates
mkdir -p $K/{run,log,etcd,ctd/root,ctd/state,cni/net.d,kubelet}; cd $K
P=$K/pki
chmod 700 $K/etcd
start etcd etcd --name vm --data-dir $K/etcd --listen-client-urls http://127.0.0.1:12379 --advertise-client-urls http://127.0.0.1:12379 \
  --listen-peer-urls http://127.0.0.1:12380 --initial-advertise-peer-urls http://127.0.0.1:12380 --initial-cluster vm=http://127.0.0.1:12380
start apiserver kube-apiserver --etcd-servers=http://127.0.0.1:12379 --secure-port=6443 --bind-address=$NODE_IP --advertise-address=$NODE_IP \
  --client-ca-file=$P/ca.crt --tls-cert-file=$P/apiserver.crt --tls-private-key-file=$P/apiserver.key \
  --kubelet-client-certificate=$P/kubelet-client.crt --kubelet-client-key=$P/kubelet-client.key --kubelet-certificate-authority=$P/ca.crt \
  --kubelet-preferred-address-types=InternalIP \
  --service-account-issuer=https://kubernetes.default.svc.cluster.local --service-account-key-file=$P/sa.pub --service-account-signing-key-file=$P/sa.key \
  --service-cluster-ip-range=$SVC_CIDR --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
  --requestheader-client-ca-file=$P/ca.crt --requestheader-allowed-names=front-proxy-client --requestheader-username-headers=X-Remote-User \
  --requestheader-group-headers=X-Remote-Group --requestheader-extra-headers-prefix=X-Remote-Extra- \
  --proxy-client-cert-file=$P/front-proxy.crt --proxy-client-key-file=$P/front-proxy.key --allow-privileged=true --event-ttl=24h
for i in $(seq 60); do kubectl get --raw /readyz >/dev/null 2>&1 && break; sleep 1; done
start kcm kube-controller-manager --kubeconfig=$P/kcm.conf --authentication-kubeconfig=$P/kcm.conf --authorization-kubeconfig=$P/kcm.conf \
  --root-ca-file=$P/ca.crt --service-account-private-key-file=$P/sa.key --use-service-account-credentials --leader-elect=false \
  --cluster-cidr=$POD_CIDR --allocate-node-cidrs=false --bind-address=127.0.0.1 --cluster-signing-cert-file=$P/ca.crt --cluster-signing-key-file=$P/ca.key
start scheduler kube-scheduler --kubeconfig=$P/scheduler.conf --authentication-kubeconfig=$P/scheduler.conf --authorization-kubeconfig=$P/scheduler.conf \
  --leader-elect=false --bind-address=127.0.0.1
cat > cni/net.d/10-bridge.conflist <<J
{"cniVersion":"0.4.0","name":"k8s","plugins":[
 {"type":"bridge","bridge":"$BRIDGE","isGateway":true,"ipMasq":false,"hairpinMode":true,
  "ipam":{"type":"host-local","dataDir":"$K/cni/data","ranges":[[{"subnet":"$POD_CIDR"}]],"routes":[{"dst":"0.0.0.0/0"}]}},
 {"type":"portmap","capabilities":{"portMappings":true}}]}
J
cat > ctd/config.toml <<T
version = 2
root = "$K/ctd/root"
state = "$K/ctd/state"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs","io.containerd.snapshotter.v1.btrfs","io.containerd.snapshotter.v1.zfs","io.containerd.snapshotter.v1.devmapper"]
[grpc]
  address = "$SOCK"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:3.9"
  stream_server_port = "0"
  # CAP_SYS_RESOURCE is missing here: runc cannot lower oom_score_adj (-998 for pause), and says only "can't get final child's PID from pipe: EOF".
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$DEB/usr/lib/cni"
    conf_dir = "$K/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
T
start containerd containerd --config $K/ctd/config.toml
for i in $(seq 30); do ctr version >/dev/null 2>&1 && break; sleep 1; done
ctr images ls -q | grep -q pause || ctr images import $K/pause.tar
# Docker, where it runs, drops what it does not know.
for d in -i -o; do iptables -C FORWARD $d $BRIDGE -j ACCEPT 2>/dev/null || iptables -I FORWARD $d $BRIDGE -j ACCEPT; done
: > $K/resolv.conf
cat > kubelet/config.yaml <<Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $NODE_IP
authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: $P/ca.crt } }
authorization: { mode: Webhook }
tlsCertFile: $P/node.crt
tlsPrivateKeyFile: $P/node.key
cgroupDriver: cgroupfs
containerRuntimeEndpoint: unix://$SOCK
clusterDNS: [$BRIDGE_IP]
clusterDomain: cluster.local
resolvConf: $K/resolv.conf
failSwapOn: false
healthzBindAddress: 127.0.0.1
imageMaximumGCAge: 0s
imageGCHighThresholdPercent: 100
evictionHard: { memory.available: 200Mi, nodefs.available: 2%, imagefs.available: 2% }
kubeAPIQPS: 50
kubeAPIBurst: 100
Y
kubectl wait --for=create namespace/default --timeout=30s >/dev/null 2>&1 || sleep 3
start kubelet kubelet --config=$K/kubelet/config.yaml --kubeconfig=$P/node.conf --root-dir=$K/kubelet --hostname-override=vm --node-ip=$NODE_IP
cat > proxy.yaml <<Y
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
clusterCIDR: $POD_CIDR
hostnameOverride: vm
bindAddress: $NODE_IP
clientConnection: { kubeconfig: $P/proxy.conf }
conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s }
iptables: { syncPeriod: 30s, minSyncPeriod: 0s, localhostNodePorts: false }
Y
start proxy kube-proxy --config=$K/proxy.yaml
for i in $(seq 60); do kubectl get node vm >/dev/null 2>&1 && break; sleep 1; done
kubectl wait --for=condition=Ready node/vm --timeout=60s
# CoreDNS listens on the address of the bridge, which CNI would make at the first pod only.
ip link show $BRIDGE >/dev/null 2>&1 || { ip link add $BRIDGE type bridge; ip addr add $BRIDGE_IP/24 dev $BRIDGE; ip link set $BRIDGE up; }
cat > Corefile <<C
.:53 {
  bind $BRIDGE_IP
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig $P/coredns.conf
    pods insecure
    ttl 5
  }
  cache 5
}
C
start coredns coredns -conf $K/Corefile
start metrics metrics-server --kubeconfig=$P/metrics.conf --authentication-kubeconfig=$P/metrics.conf --authorization-kubeconfig=$P/metrics.conf \
  --bind-address=$NODE_IP --secure-port=4443 --cert-dir=$K/metrics/pki --kubelet-certificate-authority=$P/ca.crt \
  --kubelet-preferred-address-types=InternalIP --metric-resolution=15s
kubectl apply -f - <<Y
apiVersion: v1
kind: Service
metadata: { name: metrics-server, namespace: kube-system }
spec: { ports: [{ port: 443, targetPort: 4443 }] }
---
apiVersion: v1
kind: Endpoints
metadata: { name: metrics-server, namespace: kube-system }
subsets: [{ addresses: [{ ip: $NODE_IP }], ports: [{ port: 4443 }] }]
Y
reached metrics-server
kubectl apply -f - <<Y
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1beta1.metrics.k8s.io }
spec:
  group: metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: { name: metrics-server, namespace: kube-system }
Y
# KEDA's operator asks Kafka, its adapter passes the answer on to Kubernetes. They know each other by one certificate, under these names.
mkdir -p $K/keda/pki
for f in ca.crt:ca.crt keda.crt:tls.crt keda.key:tls.key; do ln -sf $P/${f%:*} $K/keda/pki/${f#*:}; done
kubectl apply --server-side -f $K/keda/crd.yaml         # a plain apply would write an annotation, which ScaledJob is too long for
kubectl wait --for=condition=Established crd --all --timeout=30s >/dev/null
# The broker has the name of a Service, which the node's resolver does not know: the operator alone sees a resolv.conf that leads to CoreDNS.
printf 'nameserver %s\nsearch svc.cluster.local cluster.local\noptions ndots:5\n' $BRIDGE_IP >$K/keda/resolv.conf
export WATCH_NAMESPACE= KEDA_CLUSTER_OBJECT_NAMESPACE=kube-system
start keda-operator unshare --mount sh -c 'mount --bind "$0" /etc/resolv.conf && exec "$@"' $K/keda/resolv.conf \
  keda-operator --kubeconfig=$P/keda.conf --cert-dir=$K/keda/pki --metrics-service-bind-address=127.0.0.1:9666 \
  --metrics-bind-address=0 --health-probe-bind-address=0 --zap-encoder=console
# --port: for metrics of its own, which cannot be left out, whatever port is free.
start keda-adapter keda-adapter --kubeconfig=$P/keda.conf --lister-kubeconfig=$P/keda.conf --authentication-kubeconfig=$P/keda.conf \
  --authorization-kubeconfig=$P/keda.conf --bind-address=$NODE_IP --secure-port=4444 --port=0 --cert-dir=$K/keda/pki \
  --tls-cert-file=$P/keda.crt --tls-private-key-file=$P/keda.key --metrics-service-address=127.0.0.1:9666 --zap-encoder=console
kubectl apply -f - <<Y
apiVersion: v1
kind: Service
metadata: { name: keda, namespace: kube-system }
spec: { ports: [{ port: 443, targetPort: 4444 }] }
---
apiVersion: v1
kind: Endpoints
metadata: { name: keda, namespace: kube-system }
subsets: [{ addresses: [{ ip: $NODE_IP }], ports: [{ port: 4444 }] }]
Y
reached keda
kubectl apply -f - <<Y
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1beta1.external.metrics.k8s.io }
spec:
  group: external.metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: { name: keda, namespace: kube-system }
---
# Kubernetes' own autoscaler may not read such metrics by itself.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: external-metrics }
rules: [{ apiGroups: [external.metrics.k8s.io], resources: ['*'], verbs: [get, list] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: external-metrics }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: external-metrics }
subjects: [{ kind: ServiceAccount, name: horizontal-pod-autoscaler, namespace: kube-system }]
Y
for g in metrics.k8s.io/v1beta1/nodes external.metrics.k8s.io/v1beta1; do
  for i in $(seq 60); do kubectl get --raw /apis/$g >/dev/null 2>&1 && break; sleep 1; done
done
kubectl get node -o wide

  for tar in "$@"; do ctr images import "$tar"; done
}

down() {
  set +e
kubectl delete pods --all -A --grace-period=3 --timeout=40s >/dev/null 2>&1; sleep 5
stop kubelet; stop coredns; stop metrics; stop keda-adapter; stop keda-operator
stop proxy; sleep 1; kube-proxy --cleanup --config=$K/proxy.yaml >/dev/null 2>&1
for c in $(ctr tasks ls -q 2>/dev/null); do ctr tasks kill -s KILL $c; done >/dev/null 2>&1; sleep 1
for c in $(ctr tasks ls -q 2>/dev/null); do ctr tasks rm $c; done >/dev/null 2>&1
for c in $(ctr containers ls -q 2>/dev/null); do ctr containers rm $c; done >/dev/null 2>&1
for n in containerd scheduler kcm apiserver etcd; do stop $n; done
sleep 3
findmnt -rno TARGET | grep "^$K/" | sort -r | while read -r m; do umount "$m"; done
ip link del $BRIDGE 2>/dev/null
for d in -i -o; do iptables -D FORWARD $d $BRIDGE -j ACCEPT 2>/dev/null; done
rmdir /sys/fs/cgroup/*/kubepods/{burstable,besteffort} /sys/fs/cgroup/*/kubepods 2>/dev/null
rm -rf $K/etcd $K/kubelet $K/cni/data $K/ctd/root $K/ctd/state $K/data
# what `kube-proxy --cleanup` leaves of the kubelet's chains
for ipt in iptables ip6tables; do for t in nat mangle filter; do
  kube() { $ipt -t $t -S 2>/dev/null | awk '$1=="-N" && $2 ~ /^KUBE-/ {print $2}'; }
  for c in $(kube); do for b in INPUT OUTPUT FORWARD PREROUTING POSTROUTING; do $ipt -t $t -D $b -j $c 2>/dev/null; done; $ipt -t $t -F $c; done
  for c in $(kube); do $ipt -t $t -X $c; done
done; done

}

command=${1:-help}
[ $# -eq 0 ] || shift
case $command in
  build) (download); (compile) ;;
  up) up "$@" ;;
  down) down ;;
  *) sed -n '2,11p' "$0" >&2; exit 2 ;;
esac
