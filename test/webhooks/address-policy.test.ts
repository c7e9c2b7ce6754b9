import { expect, test } from '@jest/globals'
import { createAddressPolicy, isPublicAddress } from '../../src/webhook-client/address-policy.ts'

test.each([
  ['8.8.8.8'],
  ['1.1.1.1'],
  ['100.63.255.255'], // One below CGNAT.
  ['100.128.0.0'], // One above.
  ['172.15.255.255'],
  ['172.32.0.0'],
  ['192.167.255.255'],
  ['198.17.255.255'],
  ['198.20.0.0'],
  ['223.255.255.255'],
  ['168.63.129.15'],
  ['2001:4860:4860::8888'],
  ['2600:1f18::1'],
  ['2804:14c::1'],
])('%s is public', ip => {
  expect(isPublicAddress(ip)).toBe(true)
})

test.each([
  ['private', '10.0.0.1'],
  ['private', '172.16.0.1'],
  ['private', '172.31.255.255'],
  ['private', '192.168.1.1'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['loopback', '::1'],
  ['link-local', '169.254.1.1'],
  ['link-local', 'fe80::1'],
  ['link-local', 'febf::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['public with a zone', '2001:4860:4860::8888%eth0'],
  ['site-local', 'fec0::1'],
  ['CGNAT', '100.64.0.1'],
  ['CGNAT', '100.127.255.255'],
  ['ULA', 'fc00::1'],
  ['ULA', 'fdff::1'],
  ['unspecified', '0.0.0.0'],
  ['unspecified', '0.1.2.3'],
  ['unspecified', '::'],
  ['multicast', '224.0.0.1'],
  ['multicast', '239.255.255.255'],
  ['multicast', 'ff02::1'],
  ['broadcast', '255.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['reserved', '192.0.0.1'],
  ['reserved', '192.88.99.1'],
  ['reserved', '4000::1'],
  ['reserved', '100::1'],
  ['reserved', '5f00::1'],
  ['documentation', '192.0.2.1'],
  ['documentation', '198.51.100.1'],
  ['documentation', '203.0.113.1'],
  ['documentation', '2001:db8::1'],
  ['documentation', '3fff::1'],
  ['benchmarking', '198.18.0.1'],
  ['benchmarking', '198.19.255.255'],
  ['benchmarking', '2001:2::1'],
  ['IPv4-mapped', '::ffff:127.0.0.1'],
  ['IPv4-mapped', '::ffff:a00:1'],
  ['IPv4-mapped', '::ffff:169.254.169.254'],
  ['IPv4-compatible', '::127.0.0.1'],
  ['IPv4-compatible', '::a00:1'],
  ['IPv4-translated', '::ffff:0:127.0.0.1'],
  ['NAT64', '64:ff9b::10.0.0.1'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['NAT64, local use', '64:ff9b:1::a00:1'],
  ['6to4', '2002:7f00:1::'],
  ['6to4', '2002:a00:1::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['metadata', '169.254.169.254'],
  ['metadata', '169.254.170.2'],
  ['metadata', 'fd00:ec2::254'],
  ['metadata', 'fd20:ce::254'],
  ['metadata', '100.100.100.200'],
  ['metadata', '192.0.0.192'],
  ['metadata', '168.63.129.16'],
])('%s: %s is not public', (_, ip) => {
  expect(isPublicAddress(ip)).toBe(false)
})

test.each([
  [''],
  ['localhost'],
  ['8.8.8'],
  ['134744072'],
  ['0x8.8.8.8'],
  ['010.8.8.8'],
  ['8.8.8.8 '],
  ['[::1]'],
])('%j is no address, so not public', text => {
  expect(isPublicAddress(text)).toBe(false)
})

test.each([
  ['https://2130706433/', '127.0.0.1'],
  ['https://0x7f000001/', '127.0.0.1'],
  ['https://0x7f.1/', '127.0.0.1'],
  ['https://017700000001/', '127.0.0.1'],
  ['https://0177.0.0.1/', '127.0.0.1'],
  ['https://127.1/', '127.0.0.1'],
  ['https://127.0.0.1./', '127.0.0.1'],
  ['https://%31%32%37.0.0.1/', '127.0.0.1'],
  ['https://①②⑦.⓪.⓪.①/', '127.0.0.1'],
  ['https://2852039166/', '169.254.169.254'],
  ['https://0/', '0.0.0.0'],
  ['https://[0:0:0:0:0:ffff:7f00:1]/', '::ffff:7f00:1'],
  ['https://[::ffff:10.0.0.1]/', '::ffff:a00:1'],
])('the unusual notation %s is read as %s and refused', (url, ip) => {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
  expect(host).toBe(ip)
  expect(isPublicAddress(host)).toBe(false)
})

test.each([
  ['127.0.0.1', true, false],
  ['127.8.8.8', true, false],
  ['::1', true, false],
  ['8.8.8.8', true, true],
  ['::ffff:127.0.0.1', false, false],
  ['169.254.169.254', false, false],
  ['fe80::1', false, false],
  ['10.0.0.1', false, false],
  ['0.0.0.0', false, false],
])('%s: allowed with loopback %s, without %s', (ip, withLoopback, without) => {
  expect(createAddressPolicy({ canReachLoopback: true })(ip)).toBe(withLoopback)
  expect(createAddressPolicy({ canReachLoopback: false })(ip)).toBe(without)
})
