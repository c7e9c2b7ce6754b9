import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createAddressPolicy } from '../../src/webhook-client/address-policy.ts'
import { inspectEndpoint } from '../../src/webhook-client/endpoint-inspection.ts'
import {
  type CertificateAuthority,
  createAuthority,
  findUnusedPort,
  startMerchantServer,
  waitUntilHolds,
} from './support/merchant-server.ts'

const local = createAddressPolicy({ canReachLoopback: true })
const strict = createAddressPolicy({ canReachLoopback: false })
const here = async () => ['127.0.0.1']

let ca: CertificateAuthority
let merchant: Awaited<ReturnType<typeof startMerchantServer>>
let expired: Awaited<ReturnType<typeof startMerchantServer>>
let silentServer: Server

beforeAll(async () => {
  ca = await createAuthority()
  merchant = await startMerchantServer(
    ca,
    { names: ['hooks.test', 'named.test', 'localhost', '127.0.0.1'] },
    (_, response) => {
      response.end()
    },
  )
  expired = await startMerchantServer(ca, { names: ['hooks.test'], validForDays: -1 }, (_, response) => {
    response.end()
  })
  silentServer = createServer(() => {}).listen(0, '127.0.0.1')
})
afterAll(async () => {
  await merchant.close()
  await expired.close()
  silentServer.close()
})

test.each([['hooks.test'], ['localhost'], ['127.0.0.1']])(
  '%s with a trusted certificate is accepted',
  async host => {
    const url = `https://${host}:${merchant.port}/in?key=1`
    expect(await inspectEndpoint(url, local, { ca: [ca.pem], resolve: here })).toEqual({ kind: 'valid' })
  },
)

test('the host is named in the handshake, and no request is sent', async () => {
  await inspectEndpoint(`https://named.test:${merchant.port}/`, local, { ca: [ca.pem], resolve: here })
  await waitUntilHolds(() => merchant.seen.serverNames.includes('named.test'))
  expect(merchant.seen.requests).toEqual([])
})

test.each([
  ['http://hooks.test/', 'not_https'],
  ['ftp://hooks.test/', 'not_https'],
  ['javascript:alert(1)', 'not_https'],
  ['hooks.test/in', 'bad_url'],
  ['', 'bad_url'],
  ['https://', 'bad_url'],
  ['https://hooks.test:99999/', 'bad_url'],
  ['https://hooks.test/#part', 'bad_url'],
  ['https://hooks.test/#', 'bad_url'],
  [' https://hooks.test/', 'bad_url'],
  ['https://hooks.te\nst/', 'bad_url'],
  [`https://hooks.test/${'a'.repeat(2_030)}`, 'bad_url'],
  ['https://user:password@hooks.test/', 'credentials_in_url'],
  ['https://user@hooks.test/', 'credentials_in_url'],
])('%j is refused as %s without a lookup', async (url, reason) => {
  const resolve = () => Promise.reject(new Error('Asked'))
  expect(await inspectEndpoint(url, local, { resolve })).toMatchObject({ kind: 'refused', reason })
})

test.each([
  ['one private address among public ones', ['93.184.215.14', '10.0.0.1']],
  ['the metadata service', ['169.254.169.254']],
  ['loopback', ['127.0.0.1']],
  ['a mapped address', ['::ffff:127.0.0.1']],
  ['no address at all', ['nonsense']],
])('a name with %s is refused', async (_, addresses) => {
  const seen = merchant.seen.connections
  const inspected = await inspectEndpoint(`https://hooks.test:${merchant.port}/`, strict, {
    ca: [ca.pem],
    resolve: async () => addresses,
  })
  expect(inspected).toMatchObject({ kind: 'refused', reason: 'private_address' })
  expect(merchant.seen.connections).toBe(seen)
})

test.each([
  ['127.0.0.1'],
  ['2130706433'],
  ['0x7f.1'],
  ['[::1]'],
  ['[::ffff:127.0.0.1]'],
  ['169.254.169.254'],
])('the literal host %s is refused', async host => {
  const inspected = await inspectEndpoint(`https://${host}:${merchant.port}/`, strict, { ca: [ca.pem] })
  expect(inspected).toMatchObject({ kind: 'refused', reason: 'private_address' })
})

test('localhost is this machine without a lookup, and refused where loopback is', async () => {
  const url = `https://localhost:${merchant.port}/`
  expect(await inspectEndpoint(url, local, { ca: [ca.pem] })).toEqual({ kind: 'valid' })
  expect(await inspectEndpoint(url, strict, { ca: [ca.pem] })).toMatchObject({ reason: 'private_address' })
})

test.each([
  ['rejects', () => Promise.reject(new Error('ENOTFOUND'))],
  ['is empty', async () => []],
])('a name whose lookup %s does not resolve', async (_, resolve) => {
  const inspected = await inspectEndpoint('https://hooks.test/', local, { resolve })
  expect(inspected).toMatchObject({ kind: 'refused', reason: 'not_resolving' })
})

test.each([
  ['an unknown authority', () => merchant.port, 'hooks.test', false, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ['another name', () => merchant.port, 'other.test', true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['a certificate that ran out', () => expired.port, 'hooks.test', true, 'CERT_HAS_EXPIRED'],
  ['a port without a listener', findUnusedPort, 'hooks.test', true, 'ECONNREFUSED'],
  ['a silent peer', () => portOf(silentServer), 'hooks.test', true, 'UND_ERR_CONNECT_TIMEOUT'],
])('%s is no TLS', async (_, port, host, trusting, code) => {
  const inspected = await inspectEndpoint(`https://${host}:${await port()}/`, local, {
    ca: trusting ? [ca.pem] : undefined,
    resolve: here,
    handshakeTimeoutMs: code === 'UND_ERR_CONNECT_TIMEOUT' ? 300 : 30_000,
  })
  expect(inspected).toMatchObject({ kind: 'refused', reason: 'no_tls' })
  expect(inspected).toHaveProperty('message.gaps.failure', code)
})

test('a handshake that the limit of the inspection ends is no fault of the peer', async () => {
  const inspected = await inspectEndpoint(`https://hooks.test:${portOf(silentServer)}/`, local, {
    ca: [ca.pem],
    resolve: here,
    handshakeTimeoutMs: 600_000,
    limitMs: 300,
  })
  expect(inspected).toEqual({ kind: 'unfinished' })
})

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
