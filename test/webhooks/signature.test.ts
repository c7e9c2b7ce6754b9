import { createHmac } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import {
  buildSignatureHeaders,
  generateSigningSecret,
  isUsableSigningSecret,
  maskSigningSecret,
} from '../../src/webhook-client/signature.ts'

const body = JSON.stringify({ id: 'evt_1', type: 'PAYMENT', data: { name: 'João Conceição ✓' } })

test('an attempt signed with a generated secret verifies with the public library', () => {
  const secret = generateSigningSecret()
  const headers = buildSignatureHeaders({ id: 'evt_1', at: new Date(), body, secrets: [secret] })
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
  expect(() => new Webhook(generateSigningSecret()).verify(body, headers)).toThrow(
    'No matching signature found',
  )
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature found')
})

test('a secret of the caller signs with its UTF-8 bytes', () => {
  const secret = 'minha senha é secreta'
  const headers = buildSignatureHeaders({ id: 'evt_1', at: new Date(), body, secrets: [secret] })
  expect(new Webhook(Buffer.from(secret, 'utf8'), { format: 'raw' }).verify(body, headers)).toBeTruthy()
})

test('after a rotation the receiver may use the new secret or the old one', () => {
  const [current, previous] = [generateSigningSecret(), 'the-old-token']
  const headers = buildSignatureHeaders({ id: 'evt_1', at: new Date(), body, secrets: [current, previous] })
  expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/)
  expect(new Webhook(current).verify(body, headers)).toBeTruthy()
  expect(new Webhook(Buffer.from(previous), { format: 'raw' }).verify(body, headers)).toBeTruthy()
})

test('the signature is HMAC-SHA256 over id.timestamp.body, the time in whole seconds', () => {
  const at = new Date('2026-01-02T03:04:05.999Z')
  const headers = buildSignatureHeaders({ id: 'evt_9', at, body, secrets: ['token'] })
  const expected = createHmac('sha256', 'token').update(`evt_9.1767323045.${body}`).digest('base64')
  expect(headers).toEqual({
    'webhook-id': 'evt_9',
    'webhook-timestamp': '1767323045',
    'webhook-signature': `v1,${expected}`,
  })
})

test('signing without a valid secret throws', () => {
  expect(() => buildSignatureHeaders({ id: 'e', at: new Date(), body, secrets: [] })).toThrow()
  expect(() => buildSignatureHeaders({ id: 'e', at: new Date(), body, secrets: ['whsec_?'] })).toThrow()
})

test('a generated secret is 32 random bytes, and valid', () => {
  const secret = generateSigningSecret()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(secret).not.toBe(generateSigningSecret())
  expect(isUsableSigningSecret(secret)).toBe(true)
})

test.each([
  ['my-token-of-24-characters', true],
  ['twelve ççççç characters', true], // 28 bytes.
  ['WHSEC_anything of 24 bytes', true],
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', true],
  [`whsec_${Buffer.alloc(25, 1).toString('base64')}`, true],
  [`whsec_${Buffer.alloc(23, 1).toString('base64')}`, false],
  ['a'.repeat(24), true],
  ['a'.repeat(23), false],
  ['x', false],
  ['', false],
  ['whsec_', false],
  ['whsec_ ', false],
  [`whsec_${Buffer.alloc(25, 1).toString('base64').slice(0, -2)}`, false], // The padding is missing.
  [`whsec_${'AQEB'.repeat(8)}AR==`, false], // Bits behind the last byte.
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_', false], // The alphabet of URLs.
  ['whsec_not base64 but of many characters!', false],
])('%j is valid: %s', (text, usable) => {
  expect(isUsableSigningSecret(text)).toBe(usable)
})

test.each([
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_****LaSw'],
  ['a-token-long-enough', '****ough'],
  ['short', '****'],
  ['whsec_c2Vj', 'whsec_****'],
])('%j is shown as %j', (text, shown) => {
  expect(maskSigningSecret(text)).toBe(shown)
})
