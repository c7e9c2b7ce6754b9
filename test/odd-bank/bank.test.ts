import { get } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import * as efiSdk from 'sdk-node-apis-efi'
import published from '../providers/woovi/support/published-answers.json' with { type: 'json' }
import type { BankCall, BankReply } from './bank-api.ts'
import { startOddBank } from './bank-server.ts'
import { type Books, openBooks } from './books.ts'
import { listOddCases } from './cases.ts'
import { EFI_CALLS } from './efi-bank.ts'
import { listFieldOddities } from './oddities.ts'
import { WOOVI_CALLS } from './woovi-bank.ts'

/** The honest bank against what its provider publishes: Efí's SDK with its schemas, Woovi's OpenAPI document with its answers. */

type Schema = { safeParse(value: unknown): { error?: { issues: { code: string; path: PropertyKey[] }[] } } }
const schemas = efiSdk as unknown as Record<string, Schema>

const REFERENCE = 'a'.repeat(32)
const period = 'inicio=2020-01-01T00:00:00Z&fim=2099-01-01T00:00:00Z'

function ask(
  calls: readonly BankCall<string>[],
  books: Books,
  request: string,
  body: unknown = null,
): BankReply {
  const [method = '', target = ''] = request.split(' ')
  const { pathname: path, searchParams: query } = new URL(target, 'https://bank')
  for (const call of calls) {
    if (call.method !== method || (call.parameter && !query.has(call.parameter))) continue
    const match = call.path.exec(path)
    if (match) return call.answer(books, { method, path, query, body }, match.slice(1))
  }
  throw new Error(`No call ${request}`)
}

/** Books in which everything has happened once, and settled. */
async function openBusyBooks(calls: readonly BankCall<string>[], requests: [string, unknown][]) {
  const books = openBooks({ openingCents: 1_000_00, key: 'c0ffee00-0000-4000-8000-000000000000' })
  for (const [request, body] of requests) ask(calls, books, request, body)
  const pix = books.pay(REFERENCE)!
  books.openDispute(pix)
  books.refund({ id: 'r1', cents: 400, returnOf: pix.endToEnd })
  await sleep(400)
  return { books, endToEnd: pix.endToEnd }
}

test("every honest answer of the bank like Efí fits the SDK's schema", async () => {
  const cob = { calendario: { expiracao: 3600 }, valor: { original: '10.00' }, chave: 'k' }
  const { books, endToEnd } = await openBusyBooks(EFI_CALLS, [
    [`PUT /v2/cob/${REFERENCE}`, cob],
    ['PUT /v3/gn/pix/t1', { valor: '5.00', favorecido: { chave: 'maria@example.com' } }],
  ])
  const answers: [string, string, unknown?][] = [
    ['PixCreateCharge', `PUT /v2/cob/${'b'.repeat(32)}`, cob],
    ['PixDetailCharge', `GET /v2/cob/${REFERENCE}`],
    ['PixUpdateCharge', `PATCH /v2/cob/${'b'.repeat(32)}`],
    ['PixDetailReceived', `GET /v2/pix/${endToEnd}`],
    ['PixDevolution', `PUT /v2/pix/${endToEnd}/devolucao/r2`, { valor: '1.00' }],
    ['PixDetailDevolution', `GET /v2/pix/${endToEnd}/devolucao/r1`],
    ['PixSendDetailId', 'GET /v2/gn/pix/enviados/id-envio/t1'],
    ['PixListReceived', `GET /v2/pix?${period}`],
    ['PixSendList', `GET /v2/gn/pix/enviados?${period}`],
    ['GetAccountBalance', 'GET /v2/gn/saldo'],
    ['PixListEvp', 'GET /v2/gn/evp'],
    ['PixCreateEvp', 'POST /v2/gn/evp'],
    ['MedList', `GET /v2/gn/infracoes?${period}`],
  ]
  const faults = answers.flatMap(([name, request, body]) => {
    const reply = ask(EFI_CALLS, books, request, body)
    const { error } = schemas[`${name}ResponseSchema`]!.safeParse(Object(reply).json)
    const issues = (error?.issues ?? []).filter(({ code }) => code !== 'unrecognized_keys')
    return issues.map(({ path }) => `${name} ${path.join('.')}`)
  })
  expect(faults).toEqual([])
})

test('every honest answer of the bank like Woovi has the published types', async () => {
  const charge = { correlationID: REFERENCE, value: 1000, expiresIn: 3600 }
  const payment = { correlationID: 't1', value: 500, destinationAlias: 'maria@example.com' }
  const { books, endToEnd } = await openBusyBooks(WOOVI_CALLS, [
    ['POST /api/v1/charge', charge],
    ['POST /api/v1/payment', payment],
  ])
  const answers: [keyof typeof published, string, unknown?][] = [
    ['POST /api/v1/charge', 'POST /api/v1/charge', { ...charge, correlationID: 'b' }],
    ['GET /api/v1/charge/{id}', `GET /api/v1/charge/${REFERENCE}`],
    ['DELETE /api/v1/charge/{id}', 'DELETE /api/v1/charge/b'],
    ['GET /api/v1/transaction/{id}', `GET /api/v1/transaction/${endToEnd}`],
    ['GET /api/v1/transaction', 'GET /api/v1/transaction'],
    [
      'POST /api/v1/refund',
      'POST /api/v1/refund',
      { correlationID: 'r2', transactionEndToEndId: endToEnd, value: 1 },
    ],
    ['GET /api/v1/refund/{id}', 'GET /api/v1/refund/r1'],
    ['GET /api/v1/refund', 'GET /api/v1/refund'],
    ['POST /api/v1/payment', 'POST /api/v1/payment', { ...payment, correlationID: 't2' }],
    ['GET /api/v1/payment/{id}', 'GET /api/v1/payment/t1'],
    ['GET /api/v1/payment', 'GET /api/v1/payment'],
    ['GET /api/v1/account/', 'GET /api/v1/account/'],
    ['GET /api/v1/pix-keys', 'GET /api/v1/pix-keys'],
    ['POST /api/v1/pix-keys', 'POST /api/v1/pix-keys', { type: 'EVP' }],
    ['GET /api/v1/dispute', 'GET /api/v1/dispute'],
    ['GET /api/v1/dispute/{id}', `GET /api/v1/dispute/${endToEnd}`],
  ]
  const faults = answers.flatMap(([name, request, body]) =>
    compareTypes(Object(ask(WOOVI_CALLS, books, request, body)).json, published[name]).map(
      path => `${name}${path}`,
    ),
  )
  expect(faults).toEqual([])
})

/** The paths of fields whose type is not that of the published answer; fields that it lacks do not count. */
function compareTypes(value: unknown, example: unknown): string[] {
  if (Array.isArray(value)) {
    const shown = Array.isArray(example) ? example[0] : example
    return value.flatMap(item => compareTypes(item, shown)).map(path => `[]${path}`)
  }
  if (value === null || typeof value !== 'object')
    return example === undefined || typeof value === typeof example ? [] : [`: ${typeof value}`]
  if (example === undefined) return []
  if (typeof example !== 'object') return [': object']
  return Object.entries(value).flatMap(([name, field]) =>
    compareTypes(field, Object(example)[name]).map(path => `.${name}${path}`),
  )
}

test('an answer that an oddity does not change is not odd', async () => {
  const bank = await startOddBank('woovi')
  try {
    const account = bank.openAccount({ openingCents: 0 })
    const find = () =>
      new Promise((resolve, reject) => {
        const headers = { authorization: account.id }
        get(`${bank.url}/api/v1/charge/${REFERENCE}`, { ca: bank.ca, headers, agent: false }, response => {
          response.resume().on('end', () => resolve(account.countOddAnswers()))
        }).on('error', reject)
      })
    account.arm('findCharge', listFieldOddities(['charge.status'])[0]!, 1)
    expect(await find()).toBe(0)
    account.books.openCharge({ reference: REFERENCE, cents: 1_000, expiresInS: 3_600 })
    expect(await find()).toBe(1)
    expect(await find()).toBe(1)
  } finally {
    await bank.close()
  }
})

test('at least 400 cases exist for each bank, each with a name of its own', () => {
  for (const api of ['efi', 'woovi'] as const) {
    const names = listOddCases(api, 1).map(({ name }) => name)
    expect(names.length).toBeGreaterThanOrEqual(400)
    expect(new Set(names).size).toBe(names.length)
  }
})
