import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, test } from 'vitest';
import { allAddresses, machine, machineAt, reachableAt } from '../../src/lib/machine.ts';

const info = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo;

const loopback = { lo: [info('127.0.0.1', true), info('::1', true)] };

describe('the address that a phone is likeliest to reach', () => {
  test.each<[string, Record<string, string[]>, string[]]>([
    ['is IPv4', { wlan0: ['fd00::7', '192.168.1.23'] }, ['192.168.1.23', 'fd00::7']],
    [
      'is none inside the machine',
      { docker0: ['172.17.0.1'], en0: ['10.0.0.4'] },
      ['10.0.0.4', '172.17.0.1'],
    ],
    ['is none of a tunnel', { wg0: ['10.8.0.2'], eth0: ['203.0.113.9'] }, ['203.0.113.9', '10.8.0.2']],
    ['is private', { eth0: ['203.0.113.9'], eth1: ['172.20.1.1'] }, ['172.20.1.1', '203.0.113.9']],
    [
      'is not beyond a private network',
      { eth0: ['172.32.0.1'], eth1: ['172.31.0.1'] },
      ['172.31.0.1', '172.32.0.1'],
    ],
    ['is named once', { eth0: ['10.0.0.4'], br0: ['10.0.0.4'] }, ['10.0.0.4']],
    ['is not link-local', { wlan0: ['fe80::1', '2001:DB8::7'] }, ['2001:db8::7']],
    ['is not there without a network', {}, []],
  ])('%s', (_, interfaces, addresses) => {
    const infos = Object.entries(interfaces).map(([name, all]) => [name, all.map((one) => info(one))]);
    const all = { ...loopback, ...Object.fromEntries(infos) };
    expect(machine(all, 'laptop').addresses).toEqual(addresses);
  });
});

test.each([
  ['laptop', ['laptop', 'laptop.local']],
  ['Noras-MacBook.local', ['noras-macbook.local', 'noras-macbook']],
  ['pc.example.org', ['pc.example.org', 'pc', 'pc.local']],
  ['noras_pc', []],
  ['localhost', []],
])('a machine called %s answers to %j', (host, names) => expect(machine({}, host).names).toEqual(names));

test.each([
  ['::', ['laptop'], ['10.0.0.4'], '10.0.0.4'],
  ['0.0.0.0', ['laptop'], ['10.0.0.4'], '10.0.0.4'],
  ['10.0.0.9', ['laptop'], ['10.0.0.9', '10.0.0.4'], '10.0.0.9'],
  ['127.0.0.1', ['laptop'], ['10.0.0.4'], '127.0.0.1'],
  ['nora.example', ['nora.example', 'laptop'], ['10.0.0.4'], 'nora.example'],
  ['Nora.example', ['nora.example', 'laptop'], ['10.0.0.4'], 'Nora.example'],
])('listening on %s', (host, names, addresses, reached) => {
  const here = { names: ['laptop'], addresses: ['10.0.0.4'] };
  expect(machineAt(host, here)).toEqual({ names, addresses });
  expect(reachableAt(host, here)).toBe(reached);
});

test('all addresses are those of both versions of IP, where there are both', () => {
  expect(allAddresses(loopback)).toBe('::');
  expect(allAddresses({ lo: [info('127.0.0.1', true)] })).toBe('0.0.0.0');
});
