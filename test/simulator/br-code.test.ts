import { generatePixPayload } from '@brazilian-utils/brazilian-utils/generate-pix-payload'
import { getPixPayloadInfo } from '@brazilian-utils/brazilian-utils/get-pix-payload-info'
import { describe, expect, test } from '@jest/globals'
import {
  buildDynamicBrCode,
  buildStaticBrCode,
  crc16,
  parseBrCode,
} from '../../packages/simulator/br-code.ts'
import vectors from '../domain/support/vectors.json' with { type: 'json' }

const EVP = '123e4567-e12b-12d1-a456-426655440000'
const MANUAL = { merchantName: 'Fulano de Tal', merchantCity: 'BRASILIA' }
const URL = 'pix.example.com/8b3da2f39a4140d1a91abd93113bd441'
const [STATIC_OF_MANUAL, DYNAMIC_OF_MANUAL] = vectors.brcode_valid.map(({ v }) => v) as [string, string]
const AMOUNTS = [0, 1, 10, 99, 100, 435, 1_000, 100_005, 999_999_999_999]

test.each(vectors.crc16_ccitt_false)('the CRC of $in is $out', v => expect(crc16(v.in)).toBe(v.out))

describe('the vectors are read', () => {
  const open = { url: null, key: null, totalCents: null, txid: '***', ...MANUAL }
  const REC = 'pix.example.com/qr/v2'
  const READ: Record<string, object> = {
    static: { ...open, key: EVP },
    dynamic: { ...open, url: URL },
    'composite cob+rec': { ...open, url: `${REC}/8b3da2f39a4140d1a91abd93113bd441` },
    'composite cobv+rec': { ...open, url: `${REC}/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7` },
    'recurrence only': open,
    'static, e-mail key, description': { key: 'thalesog@me.com', totalCents: 1_000 },
    'static amount+txid': { key: 'pix@bcb.gov.br', totalCents: 1_000, txid: 'PEDIDO123' },
    'static, alphanumeric CNPJ key': { key: '12ABC34501DE35', totalCents: 1 },
    'dynamic, all maxima (url 77, name 25, city 15, template 26 = 99)': {
      merchantName: 'A'.repeat(25),
      merchantCity: 'B'.repeat(15),
    },
  }
  test.each(vectors.brcode_valid)('$kind', ({ v, kind }) => {
    expect(READ[kind]).toBeDefined()
    expect(parseBrCode(v)).toMatchObject({ kind: 'valid', ...READ[kind] })
  })
  test.each(vectors.brcode_invalid)('refused: $why', ({ v }) => {
    expect(parseBrCode(v)).toMatchObject({ kind: 'invalid' })
  })
  test.each(vectors.brcode_valid)('no single character of "$kind" can change', ({ v }) => {
    for (let at = 0; at < v.length; at++) {
      const changed = v.slice(0, at) + (v[at] === '0' ? '1' : '0') + v.slice(at + 1)
      expect([changed, parseBrCode(changed).kind]).toEqual([changed, 'invalid'])
    }
  })
})

describe('a changed payload with a new checksum', () => {
  test.each([
    ['0014br.gov.bcb.pix', '0014BR.GOV.BCB.PIX', 'valid'],
    ['000201', '000201010211', 'valid'],
    ['5802BR', '5402105802BR', 'valid'],
    ['5802BR', '540310.5802BR', 'valid'],
    ['6008BRASILIA', '6008BRASILIA610870074900', 'valid'],
    ['5204', '27150011com.example5204', 'valid'],
    ['000201', '000202', 'field 00 is missing or malformed'],
    ['000201', '000201010213', 'field 01 is missing or malformed'],
    ['000201', '5303986000201', 'its fields do not add up'],
    ['52040000', '', 'field 52 is missing or malformed'],
    ['5303986', '5303840', 'field 53 is missing or malformed'],
    ['5802BR', '54041,005802BR', 'field 54 is missing or malformed'],
    ['5802BR', '54051.0055802BR', 'field 54 is missing or malformed'],
    ['5802BR', '5405-1.005802BR', 'field 54 is missing or malformed'],
    ['5802BR', '5802US', 'field 58 is missing or malformed'],
    ['5913Fulano de Tal', '', 'field 59 is missing or malformed'],
    ['5913Fulano de Tal', `5926${'A'.repeat(26)}`, 'field 59 is missing or malformed'],
    ['6008BRASILIA', '6016AAAAAAAAAAAAAAAA', 'field 60 is missing or malformed'],
    ['6008BRASILIA', '6000', 'its fields do not add up'],
    ['6008BRASILIA', '6008BRASÍLIA', 'not printable ASCII'],
    ['br.gov.bcb.pix', 'br.gov.bcb.pox', 'not one PIX account in 26 to 51'],
    [`0136${EVP}`, `0199${EVP}`, 'not one PIX account in 26 to 51'],
    ['5204', '27180014br.gov.bcb.pix5204', 'not one PIX account in 26 to 51'],
    [`26580014br.gov.bcb.pix0136${EVP}`, '26180014br.gov.bcb.pix', 'nothing to pay'],
    [`26580014br.gov.bcb.pix0136${EVP}`, '26320014br.gov.bcb.pix0103a@b2503a/b', 'both a key and a location'],
    [
      `26580014br.gov.bcb.pix0136${EVP}`,
      '26330014br.gov.bcb.pix2511https://a/b',
      'its location is not a scheme-less one',
    ],
    ['62070503***', '', 'its txid is missing or malformed'],
    ['62070503***', '6207050***', 'its fields do not add up'],
    ['62070503***', '62070503a-b', 'its txid is missing or malformed'],
    ['62070503***', `62300526${'a'.repeat(26)}`, 'its txid is missing or malformed'],
    ['6304', '6404', 'not from field 00 to field 63'],
  ])('%j as %j: %s', (part, by, verdict) => {
    const changed = STATIC_OF_MANUAL.slice(0, -4).replace(part, by)
    expect(changed).not.toBe(STATIC_OF_MANUAL.slice(0, -4))
    const read = parseBrCode(changed + crc16(changed))
    expect(read.kind === 'valid' ? 'valid' : read.reason).toBe(verdict)
  })
  test.each(['', '00', 'https://pix.example.com', '6304FFFF', '000201'.repeat(200)])(
    '%j is not a BR Code',
    text => {
      expect(parseBrCode(text).kind).toBe('invalid')
    },
  )
  test.each([
    ['540210', 1_000],
    ['540310.', 1_000],
    ['540410.5', 1_050],
    ['54040.00', null],
    ['54139999999999.99', 999_999_999_999],
  ])('the amount %s is %s centavos', (amount, totalCents) => {
    const changed = STATIC_OF_MANUAL.slice(0, -4).replace('5802BR', `${amount}5802BR`)
    expect(parseBrCode(changed + crc16(changed))).toMatchObject({ totalCents })
  })
})

describe('encoding', () => {
  test('the codes of the manual, byte for byte', () => {
    expect(buildStaticBrCode({ ...MANUAL, key: EVP })).toBe(STATIC_OF_MANUAL)
    expect(buildDynamicBrCode({ ...MANUAL, url: URL, totalCents: 0 })).toBe(DYNAMIC_OF_MANUAL)
  })

  test.each(AMOUNTS)(
    'a dynamic payload of %s centavos decodes to the same values, whatever its lengths',
    totalCents => {
      const read = { kind: 'valid', key: null, totalCents: totalCents || null, txid: '***' }
      for (let length = 3; length <= 77; length++) {
        const merchant = {
          merchantName: 'N'.repeat(1 + (length % 25)),
          merchantCity: 'C'.repeat(1 + (length % 15)),
        }
        const url = `h/${'p'.repeat(length - 2)}`
        expect(parseBrCode(buildDynamicBrCode({ ...merchant, url, totalCents }))).toEqual({
          ...read,
          ...merchant,
          url,
        })
      }
      const text = buildDynamicBrCode({ ...MANUAL, url: URL, totalCents })
      expect(getPixPayloadInfo(text)).toMatchObject({ url: URL, ...MANUAL })
    },
  )

  const KEYS = ['52998224725', '12345678000195', '+5511987654321', EVP, 'a@b.br', `${'a'.repeat(70)}@bcb.br`]
  test.each(KEYS)(
    'a static payload of %s decodes to the same values, and equals the encoding of a library',
    key => {
      const description = 'Pedido 7 e do Joao '.repeat(4)
      for (const cents of AMOUNTS) {
        for (const txid of ['P', 'PEDIDO123', 'a'.repeat(25)]) {
          const text = buildStaticBrCode({
            ...MANUAL,
            key,
            cents,
            txid,
            description: 'Pedido 7 é do João '.repeat(4),
          })
          expect(parseBrCode(text)).toEqual({
            ...MANUAL,
            kind: 'valid',
            url: null,
            key,
            totalCents: cents || null,
            txid,
          })
          const amount = cents === 0 ? undefined : cents / 100
          expect(text).toBe(generatePixPayload({ ...MANUAL, key, amount, txid, description }))
        }
      }
    },
  )

  test.each([
    ['Café  São\tJoão', 'Cafe Sao Joao'],
    [' Açaí & Cia. nº 1 ', 'Acai & Cia. no 1'],
    ['Padaria 🥐 Pão', 'Padaria Pao'],
    ['Comércio de Alimentos do Zé Ltda', 'Comercio de Alimentos do'],
  ])('the name %j is encoded as %j', (merchantName, written) => {
    const text = buildDynamicBrCode({
      url: URL,
      totalCents: 1,
      merchantName,
      merchantCity: 'São José dos Campos',
    })
    expect(parseBrCode(text)).toMatchObject({ merchantName: written, merchantCity: 'Sao Jose dos Ca' })
  })

  test.each([
    { url: `https://${URL}` },
    { url: `h/${'p'.repeat(76)}` },
    { url: 'pix.example.com' },
    { url: 'pix.example.com/á' },
    { url: 'pix.example.com/a b' },
    { url: '' },
    { totalCents: -1 },
    { totalCents: 0.5 },
    { totalCents: Number.NaN },
    { totalCents: 1_000_000_000_000 },
    { merchantName: '株式会社' },
    { merchantCity: ' ' },
  ])('no dynamic payload of %j', wrong => {
    expect(() => buildDynamicBrCode({ ...MANUAL, url: URL, totalCents: 1, ...wrong })).toThrow(RangeError)
  })
  test.each([
    { key: '11987654321' },
    { key: '' },
    { txid: '' },
    { txid: 'a'.repeat(26) },
    { txid: 'a-b' },
    { cents: -1 },
  ])('no static payload of %j', wrong =>
    expect(() => buildStaticBrCode({ ...MANUAL, key: EVP, ...wrong })).toThrow(RangeError),
  )
})
