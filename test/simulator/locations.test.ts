import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fetch } from 'undici'
import { parseBrCode } from '../../packages/simulator/br-code.ts'
import type { EfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, type SimulatorFixture } from './support/simulator-fixture.ts'

/** Efí's payload locations, `/v2/loc`, and the revisions of a charge. */

let simulator: SimulatorFixture
let efi: EfiClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  efi = await simulator.createShop()
})
afterAll(() => simulator.close())

let count = 0
const txid = () => `location${String(++count).padStart(24, '0')}`
const createLocation = async (tipoCob = 'cob') => (await efi.call('POST', '/v2/loc', { tipoCob })).body
const patch = (id: string, change: object) => efi.call('PATCH', `/v2/cob/${id}`, change)
const readPayload = async (location: string) =>
  (await fetch(`https://${location}`, { dispatcher: simulator.browser })).status

test('a location is made, found, listed, and refused with an unknown kind', async () => {
  const response = await efi.call('POST', '/v2/loc', { tipoCob: 'cobv' })
  expect([response.status, response.body]).toEqual([
    201,
    {
      id: response.body.id,
      location: expect.stringContaining('/qr/v2/'),
      tipoCob: 'cobv',
      criacao: response.body.criacao,
    },
  ])
  expect((await efi.get(`/v2/loc/${response.body.id}`)).body).toEqual(response.body)
  const range = 'inicio=2020-01-01T00:00:00Z&fim=2099-01-01T00:00:00Z'
  const locations = await efi.get(`/v2/loc?${range}&tipoCob=cobv`)
  expect(locations.body).toMatchObject({
    loc: [response.body],
    parametros: { paginacao: { quantidadeTotalDeItens: 1 } },
  })
  expect((await efi.call('POST', '/v2/loc', { tipoCob: 'rec' })).body.nome).toBe('json_invalido')
  for (const path of ['/v2/loc/999', '/v2/loc/999/qrcode']) {
    const absent = await efi.get(path)
    expect([absent.status, absent.body.nome]).toEqual([400, 'location_nao_encontrada'])
  }
})

test('a charge is made at a location, and moved to another one that its payload then names', async () => {
  const [first, second] = [await createLocation(), await createLocation()]
  const id = txid()
  const response = await efi.createCob(id, '7.00', { loc: { id: first.id } })
  expect(response.body).toMatchObject({ loc: first, location: first.location })
  expect((await efi.get(`/v2/loc/${first.id}`)).body).toEqual({ ...first, txid: id })

  const moved = await patch(id, { loc: { id: second.id } })
  expect(moved.body).toMatchObject({ revisao: 1, loc: second, location: second.location, status: 'ATIVA' })
  expect(parseBrCode(moved.body.pixCopiaECola)).toMatchObject({ kind: 'valid', url: second.location })
  expect(await Promise.all([first, second].map(one => readPayload(one.location)))).toEqual([404, 200])
  expect((await efi.get(`/v2/loc/${first.id}`)).body).toEqual(first)
  const code = (await efi.get(`/v2/loc/${second.id}/qrcode`)).body
  expect(code).toMatchObject({ qrcode: moved.body.pixCopiaECola })
  await simulator.control.pay({ payload: code.qrcode })
  expect((await efi.get(`/v2/cob/${id}`)).body.status).toBe('CONCLUIDA')
})

test('a charge leaves its location, and keeps its status', async () => {
  const id = txid()
  const { loc } = (await efi.createCob(id)).body
  const left = await efi.call('DELETE', `/v2/loc/${loc.id}/txid`)
  expect([left.status, left.body]).toEqual([200, loc])
  const charge = (await efi.get(`/v2/cob/${id}`)).body
  expect(charge).toMatchObject({ status: 'ATIVA', revisao: 0 })
  for (const field of ['loc', 'location', 'pixCopiaECola']) expect(charge).not.toHaveProperty(field)
  expect(await readPayload(loc.location)).toBe(404)
  expect((await patch(id, { loc: { id: loc.id } })).body).toMatchObject({ loc })
})

test.each([
  ['that does not exist', async () => 999, 'inexiste'],
  [
    'of another charge',
    async () => (await efi.createCob(txid())).body.loc.id as number,
    'por outra cobrança',
  ],
  ['of a charge with a due date', async () => (await createLocation('cobv')).id as number, '"cobv"'],
])('a location %s is refused to a charge, made or changed', async (_, choose, reason) => {
  const id = txid()
  await efi.createCob(id)
  const loc = { id: await choose() }
  for (const refusal of [await patch(id, { loc }), await efi.createCob(txid(), '1.00', { loc })]) {
    expect([refusal.status, refusal.body.type]).toEqual([
      400,
      'https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida',
    ])
    expect(refusal.body.violacoes).toEqual([
      { razao: expect.stringContaining(reason), propriedade: 'cob.loc.id' },
    ])
  }
  expect((await efi.get(`/v2/cob/${id}`)).body.revisao).toBe(0)
})

test('every revision of a charge is found, and one that never was is refused', async () => {
  const id = txid()
  await efi.createCob(id, '5.00')
  await patch(id, { valor: { original: '6.00' } })
  await patch(id, { calendario: { expiracao: 60 } })
  const values = await Promise.all(
    ['?revisao=0', '?revisao=1', '?revisao=2', ''].map(
      async query => (await efi.get(`/v2/cob/${id}${query}`)).body,
    ),
  )
  expect(
    values.map(({ revisao, valor, calendario }) => [revisao, valor.original, calendario.expiracao]),
  ).toEqual([
    [0, '5.00', 3600],
    [1, '6.00', 3600],
    [2, '6.00', 60],
    [2, '6.00', 60],
  ])
  const absent = await efi.get(`/v2/cob/${id}?revisao=3`)
  expect([absent.status, absent.body.type]).toEqual([
    400,
    'https://pix.bcb.gov.br/api/v2/error/CobConsultaInvalida',
  ])
})

test('locations and revisions survive a restart', async () => {
  const id = txid()
  const free = await createLocation()
  await efi.createCob(id)
  await patch(id, { valor: { original: '6.00' } })
  const { home } = simulator
  await simulator.stop()
  simulator = await openSimulatorFixture({ home })
  efi = await simulator.createShop()
  expect((await efi.get(`/v2/loc/${free.id}`)).body).toMatchObject({ id: free.id, tipoCob: 'cob' })
  expect((await efi.get(`/v2/cob/${id}?revisao=0`)).body.valor.original).toBe('12.34')
})
