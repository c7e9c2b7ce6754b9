import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { getPixPayloadInfo } from '@brazilian-utils/brazilian-utils/get-pix-payload-info'
import { expect, test } from '@jest/globals'
import { hasError, isStaticPix, parsePix } from 'pix-utils'
import { parseBrCode } from '../../../packages/simulator/br-code.ts'
import { MAX_CENTS, reaisFromCents } from '../../../src/domain/ledger/money.ts'
import {
  buildStaticBrCode,
  countDescriptionBytes,
  countDescriptionRoom,
  type StaticBrCodeFields,
} from '../../../src/domain/pix/static-br-code.ts'
import { isStaticTxid, staticTxidOf } from '../../../src/domain/qr-codes/qr-code.ts'

/** Static codes of the manual and of other publishers, whose fields are ours to name. */
const EXAMPLES: [payload: string, fields: Parameters<typeof buildStaticBrCode>[0]][] = [
  [
    '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D',
    { key: '123e4567-e12b-12d1-a456-426655440000', cents: null, txid: '***', receiverName: 'Fulano de Tal' },
  ],
  [
    '00020126360014br.gov.bcb.pix011412ABC34501DE3552040000530398654040.015802BR5920EMPRESA ALFANUMERICA6008BRASILIA62070503***6304F5F7',
    { key: '12ABC34501DE35', cents: 1, txid: '***', receiverName: 'EMPRESA ALFANUMERICA' },
  ],
]

test.each(EXAMPLES)('the published code %s is built byte for byte', (payload, fields) => {
  const vectors = readFileSync(new URL('../support/vectors.json', import.meta.url), 'utf8')
  expect(vectors).toContain(payload)
  expect(buildStaticBrCode(fields)).toBe(payload)
})

const KEYS = [
  '123e4567-e12b-12d1-a456-426655440000',
  'contato@lojadaana.example.com',
  '+5511987654321',
  '12345678909',
  '12ABC34501DE35',
  `${'a'.repeat(30)}@${'b'.repeat(20)}.example.com.br`,
]
const NAMES = [
  'Padaria São João do Açaí Ltda',
  'Ângela   Müller-Conceição',
  'ÇÉÑ ÜÖÄ & Cia.',
  'Loja',
  'A Confeitaria Colombo de Muitas Palavras e Mais',
  '日本',
]
const DESCRIPTIONS = [null, 'Mesa 4', 'Café & pão de açúcar', '½ dúzia', 'x', 'doação à obra   social']

/** A thousand codes, always the same: each number is that of a hash. */
function listRandomCodes(): StaticBrCodeFields[] {
  return Array.from({ length: 1_000 }, (_, index) => {
    const hash = createHash('sha256').update(`static code ${index}`).digest()
    const pick = <T>(list: readonly T[], place: number) => list[hash[place]! % list.length]!
    const key = pick(KEYS, 0)
    const description = pick(DESCRIPTIONS, 1)
    const reference = hash.toString('base64').replaceAll(/[^a-zA-Z0-9]/g, '')
    return {
      key,
      cents: hash[2]! % 4 === 0 ? null : 1 + ((hash.readUInt32BE(4) * (1 + hash[3]!)) % MAX_CENTS),
      txid: reference.slice(0, 1 + (hash[8]! % 25)),
      description:
        description && countDescriptionBytes(description) <= countDescriptionRoom(key) ? description : null,
      receiverName: pick(NAMES, 9),
    }
  })
}

test('a thousand codes are read alike by pix-utils, brazilian-utils and the simulated payer’s bank', () => {
  for (const fields of listRandomCodes()) {
    const payload = buildStaticBrCode(fields)
    expect(payload).toMatch(/^[ -~]+$/)
    const pix = parsePix(payload)
    if (hasError(pix) || !isStaticPix(pix)) throw new Error(`pix-utils refuses ${payload}`)
    const info = getPixPayloadInfo(payload)
    const amount = fields.cents === null ? undefined : reaisFromCents(fields.cents)
    const expected = { key: fields.key, txid: fields.txid, merchantCity: 'BRASILIA' }
    expect(pix).toMatchObject({ pixKey: fields.key, txid: fields.txid, merchantCity: 'BRASILIA' })
    expect(pix.transactionAmount || undefined).toBe(amount)
    expect(info).toMatchObject(expected)
    expect(info?.amount).toBe(amount)
    expect(info?.description).toBe(pix.infoAdicional || undefined)
    expect(info?.description !== undefined).toBe(Boolean(fields.description))
    expect(info?.merchantName).toBe(pix.merchantName)
    expect(parseBrCode(payload)).toMatchObject({
      kind: 'valid',
      key: fields.key,
      txid: fields.txid,
      totalCents: fields.cents,
      merchantName: pix.merchantName,
    })
    // Written again by pix-utils, which writes names in capitals, it is the same code.
    expect(pix.toBRCode().slice(0, -4).toUpperCase()).toBe(payload.slice(0, -4).toUpperCase())
  }
})

test.each([
  ['Padaria São João do Açaí Ltda', 'Padaria Sao Joao do Acai'],
  ['  Ângela   Müller ', 'Angela Muller'],
  ['日本', 'RECEBEDOR'],
])('the payee %p is shown as %p', (receiverName, shown) => {
  const payload = buildStaticBrCode({ key: KEYS[0]!, cents: null, txid: 'A1', receiverName })
  expect(getPixPayloadInfo(payload)?.merchantName).toBe(shown)
})

test('a description has the bytes that the key leaves of 99', () => {
  for (const key of KEYS) {
    const room = countDescriptionRoom(key)
    const order = { key, cents: null, txid: 'A1', receiverName: 'Ana' }
    expect(parseBrCode(buildStaticBrCode({ ...order, description: 'd'.repeat(room) }))).toMatchObject({
      kind: 'valid',
    })
    expect(() => buildStaticBrCode({ ...order, description: 'd'.repeat(room + 1) })).toThrow(RangeError)
  }
  expect(countDescriptionRoom(KEYS[0]!)).toBe(37)
  expect(countDescriptionBytes('Café   à ½')).toBe('Cafe a 12'.length)
})

test('the txid of a uuid is 25 letters and digits, and of no other uuid', () => {
  const uuids = [
    '00000000-0000-0000-0000-000000000000',
    '00000000-0000-0000-0000-000000000001',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '01890a5d-ac96-774b-bcce-b302099a8057',
  ]
  const txids = uuids.map(staticTxidOf)
  expect(new Set(txids).size).toBe(uuids.length)
  for (const txid of txids) {
    expect(txid).toMatch(/^[a-z0-9]{25}$/)
    expect(isStaticTxid(txid)).toBe(true)
  }
  expect(isStaticTxid('01890a5dac96774bbcceb302099a8057')).toBe(false)
})
