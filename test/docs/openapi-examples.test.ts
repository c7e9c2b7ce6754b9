import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { parseBrCode } from '../../packages/simulator/br-code.ts'
import { READ_CODE_EXAMPLE } from '../../src/contract/qr-codes/code-reading-example.ts'
import { QR_CODE_EXAMPLE } from '../../src/contract/qr-codes/qr-code-example.ts'
import { isDocument } from '../../src/domain/pix/document.ts'

/** The examples of `openapi.json`: each fits its own schema, and could have been sent. */

type Json = { [key: string]: Json }
const document: Json = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'))

const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: false })
addFormats.default(ajv)
ajv.addFormat('binary', true)
ajv.addSchema(document, 'openapi')

type Example = { at: string; schema: string; value: unknown }
const examples = [...findExamples(document, '#')]

/** Finds the examples of media types, parameters, headers and schemas, with the pointers to their schemas. */
function* findExamples(node: Json, at: string): Generator<Example> {
  if (typeof node !== 'object' || node === null) return
  if (node.schema) {
    if ('example' in node) yield { at, schema: `${at}/schema`, value: node.example }
    for (const [name, example] of Object.entries(node.examples ?? {}))
      yield { at: `${at}/${name}`, schema: `${at}/schema`, value: resolve(example).value }
  }
  if (Array.isArray(node.examples)) for (const value of node.examples) yield { at, schema: at, value }
  for (const [key, inner] of Object.entries(node))
    if (key !== 'example' && key !== 'examples')
      yield* findExamples(
        inner,
        `${at}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
      )
}

function resolve(node: Json): Json {
  if (node.$ref === undefined) return node
  return String(node.$ref)
    .split('/')
    .slice(1)
    .reduce<Json>((part, key) => part[key]!, document)
}

describe('every example of openapi.json', () => {
  test('fits its schema', () => {
    expect(examples.length).toBeGreaterThan(250)
    const wrong = examples.flatMap(({ at, schema, value }) => {
      const validate = ajv.compile({ $ref: `openapi${schema}` })
      return validate(value) ? [] : [`${at}: ${ajv.errorsText(validate.errors)}`]
    })
    expect(wrong).toEqual([])
  })

  test('is there for each JSON body', () => {
    const without: string[] = []
    const visit = (node: Json, at: string) => {
      if (typeof node !== 'object' || node === null) return
      const json = node['application/json']
      if (json?.schema && !('example' in json) && !('examples' in json)) without.push(at)
      for (const [key, inner] of Object.entries(node)) visit(inner, `${at}/${key}`)
    }
    visit(document, '#')
    expect(without).toEqual([])
  })

  test('is realistic: payloads can be paid, ids have their form, documents are valid or masked', () => {
    const seen = { payload: 0, end_to_end: 0, document: 0 }
    const visit = (value: unknown, name: string) => {
      if (typeof value === 'object' && value !== null)
        for (const [key, inner] of Object.entries(value)) visit(inner, key)
      if (typeof value !== 'string' || value === '') return
      expect([name, value]).not.toEqual([name, 'text'])
      switch (name) {
        case 'payload':
          expect(parseBrCode(value)).toMatchObject({
            kind: 'valid',
            ...(CODES_WITHOUT_VALUE[value] ?? { totalCents: 15174 }),
          })
          break
        case 'end_to_end':
          expect(value).toMatch(
            /^[ED][0-9]{8}2026(0[1-9]|1[0-2])([0-2][0-9]|3[01])([01][0-9]|2[0-3])[0-5][0-9][A-Za-z0-9]{11}$/,
          )
          break
        case 'document':
          expect([value, isDocument(value) || /^\*{3}\d{6}(?:\d{3})?\*{2}$/.test(value)]).toEqual([
            value,
            true,
          ])
          break
        default:
          return
      }
      seen[name] += 1
    }
    for (const { value } of examples) visit(value, '')
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5)
  })
})

/** Static codes whose payers choose the value; the others are of the charge. */
const CODES_WITHOUT_VALUE: Record<string, object> = {
  [QR_CODE_EXAMPLE.payload]: {
    totalCents: null,
    key: QR_CODE_EXAMPLE.pix_key,
    txid: QR_CODE_EXAMPLE.reference,
  },
  [READ_CODE_EXAMPLE.payload]: { totalCents: null, key: '123e4567-e12b-12d1-a456-426655440000', txid: '***' },
}

test('openapi.json names no limit that is only of JavaScript', () => {
  expect(JSON.stringify(document).includes(String(Number.MAX_SAFE_INTEGER))).toBe(false)
})

test('openapi.json limits what the API validates', () => {
  const schemas = document.components!.schemas!
  const { properties: charge } = schemas.CreatePaymentRequest!
  const { properties: transfer } = schemas.CreateTransferRequest!
  const { properties: refund } = schemas.RefundPaymentRequest!
  expect(charge!.value).toMatchObject({ type: 'number', minimum: 0, maximum: 9_999_999_999.99 })
  expect(transfer!.value).toMatchObject({ type: 'number', minimum: 0.01, maximum: 9_999_999_999.99 })
  expect(refund!.value).toMatchObject({ type: 'number', minimum: 0.01, maximum: 9_999_999_999.99 })
  expect(transfer!.document).toMatchObject({ pattern: '^(?:[0-9]{11}|[0-9A-Za-z]{12}[0-9]{2})$' })
  const key = new RegExp(String(transfer!.pix_key!.pattern), 'u')
  for (const valid of [
    '52998224725',
    '12ABC34501DE35',
    '+5511987654321',
    'Maria@Example.com',
    '0A1B6E52-7c3d-4f98-8b2e-9d4c7a5f1e60',
  ])
    expect(valid).toMatch(key)
  for (const invalid of ['529.982.247-25', '11987654321x', 'maria', 'maria @example.com', ''])
    expect(invalid).not.toMatch(key)
})
