#!/usr/bin/env bash
# Asks the tools that the files of packaging/ are made for: promtool, nginx, and Kubernetes' own schemas. A tool that is
# not installed is fetched from its registry into a cache; one that cannot be had is left out with a line that says so.
set -uo pipefail
cd "$(dirname "$0")/../packaging"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/hopbook-tools
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# left_out WHAT WHY
left_out() { echo "packaging: $1 left out: $2"; }
# checked WHAT COMMAND...
checked() {
  local what=$1
  shift
  if "$@" >"$work/said" 2>&1; then
    echo "packaging: $what is good"
  else
    echo "packaging: $what is wrong:"
    sed 's/^/  /' "$work/said"
    failed=1
  fi
}

# A binary of a Debian package, without installing the package.
of_debian() { # PACKAGE PATH
  command -v "$(basename "$2")" && return
  if [ ! -x "$cache/$1$2" ]; then
    command -v apt-get dpkg-deb >/dev/null || return 1
    (cd "$work" && { timeout 60 apt-get download -qq "$1" || { timeout 120 apt-get update -qq && timeout 60 apt-get download -qq "$1"; }; }) >"$work/said" 2>&1 || return 1
    mkdir -p "$cache/$1" && dpkg-deb -x "$work/$1"_*.deb "$cache/$1" || return 1
  fi
  echo "$cache/$1$2"
}

if promtool=$(of_debian prometheus /usr/bin/promtool); then
  checked "prometheus/alerts.yml" "$promtool" check rules prometheus/alerts.yml
  checked "prometheus/alerts.test.yml" "$promtool" test rules prometheus/alerts.test.yml
  cp prometheus/alerts.yml compose/prometheus.yml "$work"
  checked "compose/prometheus.yml" "$promtool" check config "$work/prometheus.yml"
  cp prometheus/prometheus.yml "$work"
  checked "prometheus/prometheus.yml" "$promtool" check config "$work/prometheus.yml"
  # The dashboard's expressions, as rules.
  node -e '
    const { panels } = JSON.parse(require("fs").readFileSync("grafana/hopbook.json", "utf8"));
    const rules = panels.flatMap(({ targets = [] }) => targets).map(({ expr }, at) => ({
      record: `dashboard:${at}`,
      expr: expr.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*"),
    }));
    console.log(JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
  ' >"$work/dashboard.yml"
  checked "grafana/hopbook.json" "$promtool" check rules "$work/dashboard.yml"
else
  left_out "rules and dashboard" "no promtool"
fi

if nginx=$(of_debian nginx /usr/sbin/nginx) && command -v openssl >/dev/null; then
  openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=api.example.com \
    -keyout "$work/privkey.pem" -out "$work/fullchain.pem" 2>/dev/null
  # nginx before 1.25.1 has no directive `http2`.
  older=$([ "$(printf '%s\n' 1.25.1 "$("$nginx" -v 2>&1 | sed 's,.*/,,')" | sort -V | head -1)" = 1.25.1 ] || echo '/http2 on;/d')
  # It opens its sockets: ports that any user may open, and no IPv6, which there may be none of.
  sed "s,/etc/letsencrypt/live/api.example.com,$work,; /listen \[::\]/d; s/listen 80;/listen 18080;/
    s/listen 443 /listen 18443 /; $older" nginx.conf >"$work/site.conf"
  printf 'pid %s/pid;\nerror_log stderr;\nevents {}\nhttp { access_log off; %s include %s/site.conf; }\n' "$work" \
    "$(for kind in client_body proxy fastcgi uwsgi scgi; do printf '%s_temp_path %s/%s; ' $kind "$work" $kind; done)" "$work" >"$work/nginx.conf"
  checked "nginx.conf" "$nginx" -t -c "$work/nginx.conf"
else
  left_out "nginx.conf" "no nginx, or no openssl"
fi

validator() {
  command -v kubernetes-validate && return
  if [ ! -x "$cache/kubernetes/bin/kubernetes-validate" ]; then
    command -v python3 >/dev/null || return 1
    { python3 -m venv "$cache/kubernetes" &&
      timeout 120 "$cache/kubernetes/bin/pip" install -q kubernetes-validate; } >"$work/said" 2>&1 || return 1
  fi
  echo "$cache/kubernetes/bin/kubernetes-validate"
}
if validate=$(validator); then
  checked "kubernetes/hopbook.yaml" "$validate" --strict kubernetes/hopbook.yaml
else
  left_out "kubernetes/hopbook.yaml" "no kubernetes-validate"
fi

exit "$failed"
