import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { bankRoutes } from '../../../src/api/banks/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** The list of institutions, as the Central Bank publishes it. */

let fixture: ApiFixture
let token: string
beforeAll(async () => {
  fixture = await openApiFixture([bankRoutes])
  token = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
})
afterAll(() => fixture?.close())

type Found = { ispb: string; code: string; name: string }[]
const search = async (text: string): Promise<Found> =>
  (await fixture.call('GET', `/api/v1/banks?search=${encodeURIComponent(text)}`, { token })).body.data

test.each([
  ['260', '18236120'],
  ['18236120', '18236120'],
  ['nu pagamentos', '18236120'],
  ['ITAÚ unibanco', '60701190'],
  ['itau unibanco', '60701190'],
  ['banco cooperativo sicoob', '02038232'],
])('"%s" finds %s', async (text, ispb) => {
  expect((await search(text)).map(bank => bank.ispb)).toContain(ispb)
})

test('a number is a code as a whole, or the beginning of an ISPB', async () => {
  for (const { code, ispb } of await search('341'))
    expect(code === '341' || ispb.startsWith('341')).toBe(true)
  expect(await search('no bank of this name')).toEqual([])
})

test('without a search all are listed by name, each with both codes', async () => {
  const { status, body } = await fixture.call('GET', '/api/v1/banks', { token })
  expect(status).toBe(200)
  expect(body.data.length).toBeGreaterThan(400)
  for (const { ispb, code, name } of body.data as Found)
    expect([/^[0-9A-Z]{8}$/.test(ispb), /^\d{3}$/.test(code), name.length > 1]).toEqual([true, true, true])
  expect(new Set((body.data as Found).map(({ ispb }) => ispb)).size).toBe(body.data.length)
})
