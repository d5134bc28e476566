import { isIP } from 'node:net';
import { hostname, type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

/** The names and addresses of a machine on its network. */
export interface Machine {
  /** Host names, in lower case. */
  names: readonly string[];
  /** IP addresses beyond the loopback, the one that a phone is likeliest to reach first. */
  addresses: readonly string[];
}

/** Interfaces of networks inside the machine, and of tunnels, which a phone on the same Wi-Fi does not reach. */
const INNER = /^(docker|br-|veth|virbr|vmnet|vbox|vethernet|tun|tap|wg|utun|tailscale|zt|lxc|cni|podman)/i;

/** Addresses of private networks (RFC 1918, RFC 4193). */
const PRIVATE = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|f[cd][\da-f]{2}:)/i;

/** Link-local IPv6 addresses mean nothing without the name of an interface. */
const LINK_LOCAL = /^fe[89ab][\da-f]:/i;

/** A DNS name of letters, digits and hyphens (RFC 1123, 2.1). */
const DNS_NAME = /^(?=.{1,253}$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/;

/**
 * The names and addresses of this machine: its host name, that name under .local (multicast DNS, RFC 6762), and the
 * addresses of its interfaces.
 */
export function machine(
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces(),
  host = hostname(),
): Machine {
  const full = host.toLowerCase();
  const [first = ''] = full.split('.');
  const called = first === 'localhost' ? [] : [full, first, `${first}.local`];
  const names = [...new Set(called)].filter((name) => DNS_NAME.test(name));
  const found = Object.entries(interfaces).flatMap(([name, infos = []]) =>
    infos
      .filter(({ internal, address }) => !internal && !LINK_LOCAL.test(address))
      .map(({ address, family }) => ({ address, rank: rankOf(name, address, family) })),
  );
  const addresses = found.sort((a, b) => a.rank - b.rank).map(({ address }) => address.toLowerCase());
  return { names, addresses: [...new Set(addresses)] };
}

/** The rank of an address: the lower, the likelier a phone on the same Wi-Fi reaches it. */
function rankOf(name: string, address: string, family: string): number {
  return (INNER.test(name) ? 4 : 0) + (family === 'IPv4' ? 0 : 2) + (PRIVATE.test(address) ? 0 : 1);
}

/** Whether a service that listens there listens on all addresses. */
export const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** The wildcard address: that of IPv6, which includes IPv4, if the machine has IPv6. */
export function allAddresses(interfaces = networkInterfaces()): string {
  const infos = Object.values(interfaces).flatMap((each = []) => each);
  return infos.some(({ family }) => family === 'IPv6') ? '::' : '0.0.0.0';
}

/** This machine, and first among its names or addresses the host that a service listens on. */
export function machineAt(host: string, here = machine()): Machine {
  if (isWildcard(host) || isLoopback(host)) return here;
  const called = host.toLowerCase();
  const [names, addresses] = isIP(called) ? [[], [called]] : [[called], []];
  return {
    names: [...new Set([...names, ...here.names])],
    addresses: [...new Set([...addresses, ...here.addresses])],
  };
}

/** Whether an address or a name is that by which the machine reaches itself. */
export const isLoopback = (host: string): boolean => ['127.0.0.1', 'localhost', '::1'].includes(host);

/** The address by which others reach a service that listens on `host`; undefined without a network. */
export const reachableAt = (host: string, { addresses } = machine()): string | undefined =>
  isWildcard(host) ? addresses[0] : host;

/** An address or a name as it stands in a URL and in a Host header. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);
