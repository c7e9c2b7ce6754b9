import { describe, expect, test } from '@jest/globals'
import { compressEventBody, decompressEventBody } from '../../../src/db/entities/event-body.ts'

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
