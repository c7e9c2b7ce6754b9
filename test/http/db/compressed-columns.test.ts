import { describe, expect, test } from '@jest/globals'
import { ChargePayloadType } from '../../../src/db/entities/charge-payload.ts'
import { compressEventBody, decompressEventBody } from '../../../src/db/entities/event-body.ts'
import { HistoryType } from '../../../src/db/entities/history.ts'
import { NotificationBodyType } from '../../../src/db/entities/notification-body.ts'
import { PartyType } from '../../../src/db/entities/party.ts'
import type { Party } from '../../../src/domain/providers/provider.ts'

describe('the column of an event’s body', () => {
  test.each<[string, Record<string, unknown>]>([
    ['nothing', {}],
    ['every kind of value', { a: [1, 0.1, -2, null, true, 'x'], b: { c: {} }, d: '' }],
    ['text of every script', { name: 'Ação & Cia \u0001 漢字 😀 "\\"' }],
    ['a long text', { name: 'ab'.repeat(100_000) }],
  ])('gives %s back', (_, body) => {
    expect(decompressEventBody(compressEventBody(body))).toEqual(body)
  })

  test('keeps the order of fields, which is that of GET', () => {
    const body = { uuid: 'u', value: 1, created_at: 'c', a: 1 }
    expect(Object.keys(decompressEventBody(compressEventBody(body)))).toEqual(Object.keys(body))
  })

  test('takes a fraction of the JSON of an event', () => {
    expect(compressEventBody(MOVEMENT).length).toBeLessThan(JSON.stringify(MOVEMENT).length / 1.5)
  })

  test('that an earlier version wrote stays readable: no entry of the dictionaries changes', () => {
    const column =
      'AbWVOwqAMBAF72K/sr9sPrcQvEB0U6ZVvL0ExMrWd4NhBt4bGWXzJORQ476BmlaoISFEIXP3oMQy/fvZeQxRBzgRGyNKO3oLfvZryZ85EgHbylhQisQ5ymPoBg=='
    expect(decompressEventBody(Buffer.from(column, 'base64'))).toEqual(MOVEMENT)
  })

  test('is refused where its dictionary is unknown: it is never read wrongly', () => {
    const column = compressEventBody(MOVEMENT)
    for (const number of [0, 255])
      expect(() => decompressEventBody(Buffer.concat([Buffer.of(number), column.subarray(1)]))).toThrow(
        `unknown dictionary ${number}`,
      )
    expect(() => decompressEventBody(new Uint8Array())).toThrow('unknown dictionary')
  })
})

const MOVEMENT = {
  uuid: '196d831d-a7cb-464a-a580-7316ddd54123',
  value: 10,
  movement_type: 'IN',
  type: 'EXTERNAL_TRANSFER',
  status: 'SETTLED',
  end_to_end: 'E99999004202611262003evme5dwmyQ9',
  settled_at: '2026-11-26T20:03:37.730000Z',
}

describe('the column of a charge’s payload', () => {
  const payload = new ChargePayloadType()
  const brCode =
    '00020101021226760014br.gov.bcb.pix2554localhost:20583/qr/v2/80435c8c575ba2b9decf18df5175772f520400005303986540510.005802BR5918Loja de Teste Ltda6009SAO PAULO62070503***63044835'

  test.each([null, '', brCode])('gives %p back', text => {
    expect(payload.convertToJSValue(payload.convertToDatabaseValue(text))).toBe(text)
  })

  test('takes less than half of a BR Code', () => {
    expect(payload.convertToDatabaseValue(brCode)!.length).toBeLessThan(brCode.length / 2)
  })
})

describe('the column of a history', () => {
  const history = new HistoryType<'PENDING' | 'PAID'>()
  const entry = (status: 'PENDING' | 'PAID') => ({ status, created_at: '2026-11-26T20:03:37.730000Z' })

  test.each([
    ['no entry', []],
    ['one entry', [entry('PENDING')]],
    ['entries in their order', [entry('PENDING'), entry('PAID')]],
  ])('gives %s back', (_, entries) => {
    expect(history.convertToJSValue(history.convertToDatabaseValue(entries))).toEqual(entries)
  })
})

describe('the column of a party', () => {
  const party = new PartyType()
  const known: Party = {
    name: 'Maria Souza',
    document: '52998224725',
    account_number: '1234567',
    account_agency: '0001',
    bank: { code: '001', name: 'Banco A', ispb: '00000000' },
    account_type: 'PAYMENT',
  }
  const unknown: Party = {
    ...{ name: '', document: '', account_number: '', account_agency: '', account_type: 'CHECKING' },
    bank: { code: '', name: '', ispb: '' },
  }

  test.each([
    ['all texts', known],
    ['unknown texts', unknown],
    ['some texts of the bank', { ...unknown, bank: { ...unknown.bank, ispb: '99999004' } }],
  ])('gives %s back, as text and as the object of PostgreSQL', (_, value) => {
    const column = party.convertToDatabaseValue(value)!
    expect(party.convertToJSValue(column)).toEqual(value)
    expect(party.convertToJSValue(JSON.parse(column))).toEqual(value)
  })

  test('has no unknown text', () => {
    expect(party.convertToDatabaseValue(unknown)).toBe('{"account_type":"CHECKING"}')
  })
})

test('the column of a notification takes a fraction of its text, and gives it back', () => {
  const column = new NotificationBodyType()
  const body =
    '{"endToEndId":"E99999004202611262351Tg7HAO2GQc0","txid":"0c4a983f39928b4b8d103fa10103f7f2","valor":"10.00",' +
    '"chave":"8b0ddb37-20c9-4fb8-9246-58de0723a586","horario":"2026-11-26T23:51:49.785Z",' +
    '"pagador":{"nome":"Pagador de Teste","cpf":"12345678909"}}'
  const compressed = column.convertToDatabaseValue(body)
  expect(compressed.length).toBeLessThan(body.length / 1.5)
  expect(column.convertToJSValue(compressed)).toBe(body)
})
