import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { CompactSign } from 'jose'
import { type CodeReaderOptions, createCodeReader } from '../../src/code-reader/reader.ts'
import { computeCrc16 } from '../../src/domain/pix/static-br-code.ts'
import { createAddressPolicy } from '../../src/webhook-client/address-policy.ts'
import { type CertificateAuthority, createAuthority, startMerchantServer } from './support/merchant-server.ts'

/** Reading foreign codes: the documents at their locations, as other banks show them, broken and hostile ones included. */

const HOST = 'pix.bank.test'
const NOW = new Date('2026-11-25T15:00:00Z')
const CHARGE = {
  revisao: 0,
  calendario: {
    criacao: '2026-11-25T12:00:00.000Z',
    apresentacao: '2026-11-25T15:00:00Z',
    expiracao: '86400',
  },
  txid: 'fc9a4366ff3d4964b5dbc6c91a8722d3',
  status: 'ATIVA',
  valor: { original: '500.00' },
  chave: '7407c9c8-f78b-11ea-adc1-0242ac120002',
}
const DUE = {
  ...CHARGE,
  calendario: {
    criacao: '2026-11-01T12:00:00-03:00',
    apresentacao: '2026-11-25T15:00:00Z',
    dataDeVencimento: '2026-11-20',
    validadeAposVencimento: 30,
  },
  recebedor: { nome: 'Empresa de Abastecimento SA', cnpj: '58900633120711' },
  valor: {
    original: '123.45',
    multa: '15.00',
    juros: '2.00',
    desconto: '0.45',
    abatimento: '0.00',
    final: '140.00',
  },
}
const RECURRENCE = {
  idRec: 'RR1234567820261125abcdefghijk',
  recebedor: { nome: 'Academia Ltda', cnpj: '12345678000195', ispbParticipante: '12345678' },
  valor: { valorRec: '89.90' },
  atualizacao: [
    { status: 'CRIADA', data: '2026-11-01T12:00:00Z' },
    { status: 'CANCELADA', data: '2026-11-20T12:00:00Z' },
  ],
}

let authority: CertificateAuthority
let signing: { key: string; cert: string }
const closers: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  authority = await createAuthority()
  signing = await authority.issue({ names: ['signing.bank.test'] })
})
afterEach(async () => {
  jest.restoreAllMocks()
  for (const close of closers.splice(0)) await close()
})

type Signing = { header?: object; key?: string; alg?: string }

/** A JWS as a bank signs it; `jku` is on the host of the location. */
function signDocument(
  document: unknown,
  jku: string,
  { header = {}, key = signing.key, alg = 'ES256' }: Signing = {},
) {
  const bytes = new TextEncoder().encode(typeof document === 'string' ? document : JSON.stringify(document))
  return new CompactSign(bytes)
    .setProtectedHeader({ alg, kid: 'bank', jku, typ: 'JOSE', ...header })
    .sign(createPrivateKey(key))
}

/** The key set of the bank: the public key of its signing certificate, with that. */
function buildKeySet(certificate = signing.cert, key = signing.key) {
  const { publicKey } = new X509Certificate(certificate)
  const jwk = createPrivateKey(key).asymmetricKeyType === 'ec' ? publicKey : createPrivateKey(key)
  const { d: _, ...publicJwk } = jwk.export({ format: 'jwk' })
  return {
    keys: [{ ...publicJwk, kid: 'bank', x5c: [new X509Certificate(certificate).raw.toString('base64')] }],
  }
}

type Bank = { answer?: RequestListener; document?: unknown; sign?: Signing; jku?: string; keySet?: string }

/** A bank that shows a document, and a reader that resolves every host to it. */
async function openBank(
  { answer, document, sign, jku, keySet }: Bank,
  options: Partial<CodeReaderOptions> = {},
) {
  const keys = `https://${HOST}`
  const server = await startMerchantServer(authority, { names: [HOST] }, async (request, response) => {
    if (request.url === '/jwks') return response.end(keySet ?? JSON.stringify(buildKeySet()))
    if (answer) return answer(request, response)
    response.end(await signDocument(document ?? CHARGE, jku ?? `${keys}:${server.port}/jwks`, sign))
  })
  closers.push(server.close)
  const reader = createCodeReader({
    policy: createAddressPolicy({ canReachLoopback: true }),
    ca: [authority.pem],
    resolve: async () => ['127.0.0.1'],
    now: () => NOW,
    ...options,
  })
  const host = `${HOST}:${server.port}`
  const read = (payload: string, more: { payOn?: string; codMun?: string; limitMs?: number } = {}) =>
    reader(payload, { limitMs: 5_000, ...more })
  return { host, read, seen: server.seen }
}

const field = (id: string, value: string) => `${id}${String(value.length).padStart(2, '0')}${value}`
/** A code with a location, or a recurrence, or both. */
function buildCode({ location, recurrence }: { location?: string; recurrence?: string }) {
  const gui = field('00', 'br.gov.bcb.pix')
  const fields = [
    '000201',
    field('26', location === undefined ? gui : gui + field('25', location)),
    '5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***',
    recurrence === undefined ? '' : field('80', gui + field('25', recurrence)),
    '6304',
  ].join('')
  return fields + computeCrc16(fields)
}

describe('documents', () => {
  test('a charge is read with the value and the moment of its document', async () => {
    const { host, read } = await openBank({})
    expect(await read(` ${buildCode({ location: `${host}/qr/1` })}\n`)).toEqual({
      kind: 'read',
      reading: {
        kind: 'DYNAMIC',
        receiverName: 'Fulano de Tal',
        receiverDocument: '',
        pixKey: CHARGE.chave,
        txid: CHARGE.txid,
        value: {
          originalCents: 50_000,
          dueNowCents: 50_000,
          fineCents: 0,
          interestCents: 0,
          discountCents: 0,
          abatementCents: 0,
          isOpen: false,
        },
        status: 'PAYABLE',
        expiresAt: new Date('2026-11-26T12:00:00Z'),
        signature: 'UNVERIFIED',
      },
    })
  })

  test('a charge with a due date is read for a day and a municipality', async () => {
    const { host, read, seen } = await openBank({ document: DUE })
    const code = buildCode({ location: `${host}/cobv/1` })
    expect(await read(code, { payOn: '2026-11-30', codMun: '3106200' })).toMatchObject({
      reading: {
        kind: 'DUE',
        receiverName: 'Empresa de Abastecimento SA',
        receiverDocument: '58900633120711',
        value: {
          originalCents: 12_345,
          dueNowCents: 14_000,
          fineCents: 1_500,
          interestCents: 200,
          discountCents: 45,
        },
        status: 'PAYABLE',
        // 20 November is a Friday, 20 December a Sunday: the Monday after it is the last day.
        expiresAt: new Date('2026-12-22T03:00:00Z'),
      },
    })
    expect(seen.requests[0]!.url).toBe('/cobv/1?DPP=2026-11-30&codMun=3106200')
    expect(await read(code, { payOn: '2026-10-31' })).toMatchObject({ reading: { status: 'TOO_EARLY' } })
    expect(await read(code, { payOn: '2026-12-24' })).toMatchObject({ reading: { status: 'PAYABLE' } })
    expect(await read(code, { payOn: '2027-01-05' })).toMatchObject({ reading: { status: 'EXPIRED' } })
  })

  test.each([
    ['PAID', { status: 'CONCLUIDA' }],
    ['REMOVED', { status: 'REMOVIDA_PELO_PSP' }],
    ['EXPIRED', { calendario: { ...CHARGE.calendario, expiracao: 3_600 } }],
  ])('a charge is %s', async (status, change) => {
    const { host, read } = await openBank({ document: { ...CHARGE, ...change } })
    expect(await read(buildCode({ location: `${host}/1` }))).toMatchObject({
      kind: 'read',
      reading: { status },
    })
  })

  test('the payer chooses the value where the document says so', async () => {
    const { host, read } = await openBank({
      document: { ...CHARGE, valor: { original: '0.00', modalidadeAlteracao: 1 } },
    })
    expect(await read(buildCode({ location: `${host}/1` }))).toMatchObject({
      reading: { value: { dueNowCents: 0, isOpen: true } },
    })
  })

  test('a recurrence has the status of its latest change, and a composite code the charge of its payment', async () => {
    const recurrence = await openBank({ document: RECURRENCE })
    expect(await recurrence.read(buildCode({ recurrence: `${recurrence.host}/rec/1` }))).toMatchObject({
      reading: {
        kind: 'RECURRENCE',
        receiverName: 'Academia Ltda',
        status: 'REMOVED',
        value: { dueNowCents: 8_990 },
      },
    })
    const charge = await openBank({})
    const code = buildCode({ location: `${charge.host}/1`, recurrence: `${charge.host}/rec/1` })
    expect(await charge.read(code)).toMatchObject({ reading: { kind: 'COMPOSITE', txid: CHARGE.txid } })
  })

  test.each([
    ['no JSON', 'x', 'signature'],
    ['another form', { ...CHARGE, txid: '' }, 'document'],
    ['no value', { ...CHARGE, valor: { original: '0.00' } }, 'document'],
    ['a comma', { ...CHARGE, valor: { original: '1,00' } }, 'document'],
    ['cash', { ...CHARGE, valor: { original: '1.00', retirada: { saque: {} } } }, 'location_withdrawal'],
  ])('a document with %s is refused', async (_, document, fault) => {
    const { host, read } = await openBank({ document })
    expect(await read(buildCode({ location: `${host}/1` }))).toEqual({ kind: 'invalid', fault })
  })
})

describe('signatures', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  })

  test.each([
    ['a key set elsewhere', { jku: 'https://evil.example/jwks' }, 'key_address'],
    ['a key set over http', { jku: `http://${HOST}/jwks` }, 'key_address'],
    ['an algorithm that is not of PIX', { sign: { alg: 'RS384', key: `${rsa}` } }, 'algorithm'],
    ['a key that is not in the key set', { sign: { key: `${rsa}`, alg: 'RS256' } }, 'signature'],
    ['an empty key set', { keySet: '{"keys":[]}' }, 'key_set'],
    ['a key set of 2 MB', { keySet: ' '.repeat(2_000_000) }, 'key_set'],
  ])('a document with %s', async (_, bank, fault) => {
    const { host, read } = await openBank(bank)
    expect(await read(buildCode({ location: `${host}/1` }))).toEqual({ kind: 'invalid', fault })
  })

  test('an unsigned document, and one that was changed, are refused', async () => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const none = `${encode({ alg: 'none', jku: `https://${HOST}/jwks` })}.${encode(CHARGE)}.`
    const unsigned = await openBank({ answer: (_, response) => void response.end(none) })
    expect(await unsigned.read(buildCode({ location: `${unsigned.host}/1` }))).toEqual({
      kind: 'invalid',
      fault: 'algorithm',
    })
    let port = ''
    const changed = await openBank({
      answer: async (_, response) => {
        const [header, , signature] = (await signDocument(CHARGE, `https://${port}/jwks`)).split('.')
        response.end(`${header}.${encode({ ...CHARGE, valor: { original: '1.00' } })}.${signature}`)
      },
    })
    port = changed.host
    expect(await changed.read(buildCode({ location: `${port}/1` }))).toEqual({
      kind: 'invalid',
      fault: 'signature',
    })
  })

  test('with a trust store the chain of the signing certificate decides', async () => {
    const trusting = await openBank({}, { trustStore: authority.pem })
    expect(await trusting.read(buildCode({ location: `${trusting.host}/1` }))).toMatchObject({
      reading: { signature: 'VERIFIED' },
    })
    const other = await createAuthority()
    const distrusting = await openBank({}, { trustStore: other.pem })
    expect(await distrusting.read(buildCode({ location: `${distrusting.host}/1` }))).toEqual({
      kind: 'invalid',
      fault: 'certificate',
    })
    const expired = await authority.issue({ names: ['signing.bank.test'], validForDays: -1 })
    const late = await openBank(
      { sign: { key: expired.key }, keySet: JSON.stringify(buildKeySet(expired.cert, expired.key)) },
      { trustStore: authority.pem, now: () => new Date() },
    )
    expect(await late.read(buildCode({ location: `${late.host}/1` }))).toEqual({
      kind: 'invalid',
      fault: 'certificate',
    })
    expect(() => createCodeReader({ policy: () => true, trustStore: 'x' })).toThrow('no certificate')
  })

  test('the certificate of another key vouches for nothing, under whatever id the key set shows it', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const ownKey = { ...publicKey.export({ format: 'jwk' }), kid: 'bank', alg: 'RS256' }
    const [trustedKey] = buildKeySet().keys
    for (const keys of [[trustedKey, ownKey], [{ ...ownKey, x5c: trustedKey!.x5c }]]) {
      const { host, read } = await openBank(
        {
          sign: { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), alg: 'RS256' },
          keySet: JSON.stringify({ keys }),
        },
        { trustStore: authority.pem },
      )
      expect(await read(buildCode({ location: `${host}/1` }))).toEqual({
        kind: 'invalid',
        fault: 'certificate',
      })
    }
  })
})

describe('hostile locations', () => {
  const answerWith = (status: number, headers: Record<string, string> = {}, body = '') =>
    ((_, response) => void response.writeHead(status, headers).end(body)) satisfies RequestListener

  test.each<[string, RequestListener, object]>([
    [
      'a redirect to the metadata of the machine',
      answerWith(302, { location: 'http://169.254.169.254/' }),
      { kind: 'invalid', fault: 'location_redirect' },
    ],
    ['2 MB', answerWith(200, {}, 'x'.repeat(2_000_000)), { kind: 'invalid', fault: 'too_large' }],
    [
      'a compressed body',
      answerWith(200, { 'content-encoding': 'gzip' }, 'x'),
      { kind: 'invalid', fault: 'document' },
    ],
    ['404', answerWith(404), { kind: 'invalid', fault: 'location_empty' }],
    ['410', answerWith(410), { kind: 'invalid', fault: 'location_empty' }],
    ['400', answerWith(400), { kind: 'invalid', fault: 'location_refusal' }],
    ['503', answerWith(503), { kind: 'no_answer' }],
    ['403', answerWith(403), { kind: 'no_answer' }],
    ['no JWS', answerWith(200, {}, '{}'), { kind: 'invalid', fault: 'document' }],
    ['a broken connection', (_, response) => void response.destroy(), { kind: 'no_answer' }],
  ])('%s', async (_, answer, outcome) => {
    const { host, read, seen } = await openBank({ answer })
    expect(await read(buildCode({ location: `${host}/1` }))).toEqual(outcome)
    expect(seen.requests).toHaveLength(1)
  })

  test('a silent location is given up in time', async () => {
    const { host, read } = await openBank({ answer: () => {} })
    const started = performance.now()
    expect(await read(buildCode({ location: `${host}/1` }), { limitMs: 300.5 })).toEqual({
      kind: 'no_answer',
    })
    expect(performance.now() - started).toBeLessThan(3_000)
  })

  test.each([
    '10.0.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '192.168.1.1',
    '100.64.0.1',
    '::1',
    'fd00:ec2::254',
    '::ffff:7f00:1',
  ])('a location whose host resolves to %s is not called', async address => {
    const { host, read, seen } = await openBank(
      {},
      { policy: createAddressPolicy({ canReachLoopback: false }), resolve: async () => ['8.8.8.8', address] },
    )
    expect(await read(buildCode({ location: `${host}/1` }))).toEqual({
      kind: 'invalid',
      fault: 'refused_address',
    })
    expect(seen.connections).toBe(0)
  })

  test.each(['127.0.0.1', '169.254.169.254', '0x7f000001', '2130706433', '10.1'])(
    'the address %s as a location is not called',
    async host => {
      const { read, seen } = await openBank({}, { policy: createAddressPolicy({ canReachLoopback: false }) })
      expect(await read(buildCode({ location: `${host}/1` }))).toEqual({
        kind: 'invalid',
        fault: 'refused_address',
      })
      expect(seen.connections).toBe(0)
    },
  )
})
