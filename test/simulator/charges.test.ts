import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { parseBrCode } from '../../packages/simulator/br-code.ts'
import type { EfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, type SimulatorFixture } from './support/simulator-fixture.ts'

let simulator: SimulatorFixture
let efi: EfiClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  efi = await simulator.createShop()
})
afterAll(() => simulator.close())

let count = 0
const txid = () => `charge${String(++count).padStart(26, '0')}`

test('a charge is created, returned with its payload, and read by its txid', async () => {
  const id = txid()
  const response = await efi.createCob(id, '12.34', { solicitacaoPagador: 'Pedido 7' })
  expect(response.status).toBe(201)
  expect(response.body).toMatchObject({
    txid: id,
    status: 'ATIVA',
    revisao: 0,
    valor: { original: '12.34' },
    chave: 'loja@trilho.test',
    solicitacaoPagador: 'Pedido 7',
    calendario: { expiracao: 3600, criacao: expect.stringMatching(/^\d{4}-.*Z$/) },
    loc: { location: response.body.location, tipoCob: 'cob' },
  })
  expect(parseBrCode(response.body.pixCopiaECola)).toMatchObject({
    kind: 'valid',
    url: response.body.location,
    totalCents: 1234,
    merchantName: 'Loja Sao Joao',
  })
  expect((await efi.get(`/v2/cob/${id}`)).body).toEqual(response.body)
})

test('the provider creates the txid where the request has none', async () => {
  const response = await efi.call('POST', '/v2/cob', {
    valor: { original: '1.00' },
    chave: 'loja@trilho.test',
  })
  expect(response.status).toBe(201)
  expect(response.body.txid).toMatch(/^[0-9a-f]{32}$/)
  expect(response.body.calendario.expiracao).toBe(86_400)
})

test('a txid exists once', async () => {
  const id = txid()
  await efi.createCob(id)
  const repeat = await efi.createCob(id)
  expect([repeat.status, repeat.body.nome]).toEqual([409, 'txid_duplicado'])
})

test('a removed charge stays removed and can no longer be changed', async () => {
  const id = txid()
  await efi.createCob(id)
  const removed = await efi.call('PATCH', `/v2/cob/${id}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' })
  expect(removed.body).toMatchObject({ status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR', revisao: 1 })
  expect((await efi.get(`/v2/cob/${id}?revisao=1`)).status).toBe(200)
  expect((await efi.get(`/v2/cob/${id}?revisao=0`)).body).toMatchObject({ revisao: 0, status: 'ATIVA' })
  const elsewhere = await efi.call('PATCH', `/v2/cob/${id}`, { loc: { id: removed.body.loc.id + 1 } })
  expect(elsewhere.body.type).toMatch(/CobOperacaoInvalida$/)
  const repeat = await efi.call('PATCH', `/v2/cob/${id}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' })
  expect([repeat.status, repeat.body.nome]).toEqual([400, 'status_cobranca_invalido'])
})

test.each([
  ['value zero', { valor: { original: '0.00' } }, 'https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida'],
  ['a value with one decimal', { valor: { original: '1.5' } }, 'json_invalido'],
  ["another's key", { chave: 'outra@trilho.test' }, 'chave_invalida'],
  ['an unknown field', { notification_url: 'https://x' }, 'json_invalido'],
])('a charge with %s is refused', async (_, change, why) => {
  const refusal = await efi.createCob(txid(), '12.34', change)
  expect(refusal.status).toBe(400)
  expect(refusal.body.type ?? refusal.body.nome).toBe(why)
})

test('an unknown charge is not found', async () => {
  const response = await efi.get(`/v2/cob/${txid()}`)
  expect([response.status, response.body.nome]).toEqual([400, 'cobranca_nao_encontrada'])
})

test('charges are listed by their time, in pages', async () => {
  const ids = [txid(), txid(), txid()]
  const since = new Date().toISOString()
  for (const id of ids) await efi.createCob(id)
  const list = (page: number) =>
    efi.get(
      `/v2/cob?inicio=${since}&fim=2099-01-01T00:00:00Z&paginacao.itensPorPagina=2&paginacao.paginaAtual=${page}`,
    )
  const [first, second] = [await list(0), await list(1)]
  const txids = [...first.body.cobs, ...second.body.cobs].map((cob: { txid: string }) => cob.txid)
  expect(txids).toEqual(ids)
  expect(second.body.parametros.paginacao).toEqual({
    paginaAtual: 1,
    itensPorPagina: 2,
    quantidadeDePaginas: 2,
    quantidadeTotalDeItens: 3,
  })
})

test('random keys are created, listed and removed; a charge to a removed key cannot be paid', async () => {
  const { body } = await efi.call('POST', '/v2/gn/evp')
  expect((await efi.get('/v2/gn/evp')).body.chaves).toContain(body.chave)
  const charge = await efi.createCob(txid(), '5.00', { chave: body.chave })
  expect((await efi.call('DELETE', `/v2/gn/evp/${body.chave}`)).status).toBe(200)
  expect((await efi.call('DELETE', `/v2/gn/evp/${body.chave}`)).body.nome).toBe('chave_nao_encontrada')
  await expect(simulator.control.pay({ payload: charge.body.pixCopiaECola })).rejects.toMatchObject({
    status: 409,
  })
})
