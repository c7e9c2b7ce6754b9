import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createAddressPolicy, isPublicAddress } from '../../src/webhook-client/address-policy.ts'
import { inspectEndpoint } from '../../src/webhook-client/endpoint-inspection.ts'
import {
  type CertificateAuthority,
  createAuthority,
  findUnusedPort,
  startMerchantServer,
  waitUntilHolds,
} from './support/merchant-server.ts'
import { openWebhookClientFixture } from './support/webhook-client-fixture.ts'

describe('address policy', () => {
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
})

describe('endpoint inspection', () => {
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
})

describe('refused connections', () => {
  test.each([
    ['no process listens', async () => `https://hooks.test:${await findUnusedPort()}/`, 'ECONNREFUSED'],
    [
      'the certificate is another’s',
      async (port: number) => `https://other.test:${port}/`,
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ],
    ['it is not https', async (port: number) => `http://hooks.test:${port}/`, 'Only https is supported'],
  ])('no connection is made where %s', async (_, url, message) => {
    const { dialer, port, seen } = await openWebhookClientFixture((_, response) => response.end())
    const tried = await dialer.postSigned({ url: await url(port), body: '{}', headers: {} })
    expect(tried).toMatchObject({ kind: 'no_connection', message })
    expect(seen.requests).toEqual([])
  })

  test('no connection is made where the certificate is untrusted, or the name no longer resolves', async () => {
    const untrusted = await openWebhookClientFixture((_, response) => response.end(), { ca: undefined })
    expect(await untrusted.post()).toMatchObject({
      kind: 'no_connection',
      message: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    })
    const gone = await openWebhookClientFixture((_, response) => response.end(), { resolve: async () => [] })
    expect(await gone.post()).toMatchObject({ kind: 'no_connection', message: 'The host has no address' })
  })

  test('a name that changes to a private address between two attempts is refused', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.1', '127.0.0.2'], ['10.0.0.1'], ['127.0.0.1']]
    // A kept connection would need no look-up.
    const close = { connection: 'close' }
    const { post, seen } = await openWebhookClientFixture(
      (_, response) => response.writeHead(200, close).end(),
      {
        policy: ip => ip === '127.0.0.1', // Represents the public address.
        resolve: async () => answers.shift() ?? [],
      },
    )
    const kinds = []
    for (const _ of [1, 2, 3, 4]) kinds.push((await post()).kind)
    expect(kinds).toEqual(['answered', 'refused_address', 'refused_address', 'answered'])
    expect(seen.connections).toBe(2)
  })

  test.each([['127.0.0.1'], ['2130706433'], ['0x7f.1'], ['[::1]'], ['[::ffff:127.0.0.1]'], ['localhost']])(
    'the host %s, which needs no lookup, is refused all the same',
    async host => {
      const { dialer, port, seen } = await openWebhookClientFixture((_, response) => response.end(), {
        policy: createAddressPolicy({ canReachLoopback: false }),
        resolve: undefined,
      })
      const tried = await dialer.postSigned({ url: `https://${host}:${port}/`, body: '{}', headers: {} })
      expect(tried).toMatchObject({ kind: 'refused_address' })
      expect(seen.connections).toBe(0)
    },
  )

  test('a literal address that is allowed is called, and its certificate checked', async () => {
    const { dialer, port } = await openWebhookClientFixture((_, response) => response.end('here'))
    const tried = await dialer.postSigned({ url: `https://127.0.0.1:${port}/`, body: '{}', headers: {} })
    expect(tried).toMatchObject({ kind: 'answered', answer: 'here' })
  })

  test('an attempt given up during its name lookup is never sent', async () => {
    const { post, seen } = await openWebhookClientFixture((_, response) => response.end(), {
      timeoutMs: 100,
      resolve: () => new Promise(resolve => setTimeout(resolve, 300, ['127.0.0.1'])),
    })
    expect(await post()).toMatchObject({ kind: 'timeout' })
    await waitUntilHolds(() => seen.connections === 1)
    await new Promise(resolve => setTimeout(resolve, 200))
    expect(seen.requests).toEqual([])
  })

  test('an invalid URL, or a call after closing, throws', async () => {
    const { dialer, post } = await openWebhookClientFixture((_, response) => response.end())
    await expect(dialer.postSigned({ url: 'hooks', body: '', headers: {} })).rejects.toThrow()
    await expect(post({ headers: { 'bad header': 'x' } })).rejects.toThrow()
    await dialer.close()
    await expect(post()).rejects.toThrow()
  })
})
