import { describe, expect, test } from '@jest/globals'
import { openContract } from '../support/openapi-contract.ts'
import { findWooviRequestViolations, findWooviResponseViolations } from '../support/woovi-contract.ts'

const END_TO_END = 'E00000000202611291200abcdefghijk'.slice(0, 32)

describe("Sicoob's payments", () => {
  const contract = openContract('sicoob-pagamentos-pix.yaml')
  const confirmation = { endToEndId: END_TO_END, valor: '12,50', meioIniciacao: 'CHAVE' }
  const confirm = (body: unknown) =>
    contract.validateRequest({ method: 'POST', path: '/pagamentos/confirmacao', body })

  test('a request as published has no violation', () => {
    expect(confirm(confirmation)).toEqual([])
    expect(contract.validateRequest({ method: 'GET', path: `/pagamentos/${END_TO_END}` })).toEqual([])
  })

  test.each([
    ['an amount with a point', { ...confirmation, valor: '12.50' }, '/valor'],
    ['an unlisted way of initiation', { ...confirmation, meioIniciacao: 'PIX' }, '/meioIniciacao'],
    ['no amount', { ...confirmation, valor: undefined }, 'valor'],
    ['no body', undefined, 'has no body'],
  ])('a body with %s is a violation', (_, body, named) => {
    expect(confirm(body).join()).toContain(named)
  })

  test('an id of the wrong length, an unknown parameter and an unknown path are violations', () => {
    expect(contract.validateRequest({ method: 'GET', path: '/pagamentos/E1' }).join()).toContain('id:')
    const path = `/pagamentos/${END_TO_END}`
    expect(contract.validateRequest({ method: 'GET', path, query: { extra: '1' } }).join()).toContain('extra')
    expect(contract.validateRequest({ method: 'GET', path: '/pagamento' })).toHaveLength(1)
    expect(contract.validateRequest({ method: 'DELETE', path })).toHaveLength(1)
  })

  test('a response is validated by its status', () => {
    const answer = { method: 'GET', path: `/pagamentos/${END_TO_END}` }
    const body = { endToEndId: END_TO_END, valor: 12.5, estado: 'FINALIZADO', origem: {}, destino: {} }
    expect(contract.validateResponse({ ...answer, status: 200, body })).toEqual([])
    expect(
      contract.validateResponse({ ...answer, status: 200, body: { ...body, estado: 'PAGO' } }),
    ).toHaveLength(1)
    expect(contract.validateResponse({ ...answer, status: 418, body })).toHaveLength(1)
  })

  test('the body of a notification is validated by the callback of its registration', () => {
    const call = { method: 'PUT', path: '/pagamentos/webhook' }
    const payload = { id: END_TO_END, estado: 'FINALIZADO_SUCESSO', valor: '12.50' }
    expect(contract.validateCallback({ ...call, body: { payload } })).toEqual([])
    expect(
      contract.validateCallback({ ...call, body: { payload: { ...payload, estado: 'OK' } } }),
    ).toHaveLength(1)
    expect(contract.validateCallback({ method: 'GET', path: '/pagamentos/webhook', body: {} })).toHaveLength(
      1,
    )
  })
})

describe.each(['sicoob-pix.yaml', 'bcb-pix-api-2.9.0.yaml'])('charges of %s', file => {
  const contract = openContract(file)
  const path = `/cob/${'a'.repeat(32)}`
  const cob = { calendario: { expiracao: 3600 }, valor: { original: '1.00' }, chave: 'loja@example.com' }

  test('a payer is identified by eleven digits, without the slashes of the published pattern', () => {
    const request = (cpf: string) => ({
      method: 'PUT',
      path,
      body: { ...cob, devedor: { cpf, nome: 'Ana' } },
    })
    expect(contract.validateRequest(request('12345678909'))).toEqual([])
    expect(contract.validateRequest(request('123')).length).toBeGreaterThan(0)
  })

  test('a pattern is anchored', () => {
    const request = (original: string) => ({ method: 'PUT', path, body: { ...cob, valor: { original } } })
    expect(contract.validateRequest(request('1.00'))).toEqual([])
    expect(contract.validateRequest(request('1.001')).length).toBeGreaterThan(0)
    expect(contract.validateRequest({ method: 'PUT', path: '/cob/short', body: cob }).length).toBeGreaterThan(
      0,
    )
  })

  test('a parameter in the URL is read as its type', () => {
    const query = { inicio: '2026-11-01T00:00:00.000Z', fim: '2026-11-02T00:00:00.000Z' }
    const list = (extra: Record<string, string>) =>
      contract.validateRequest({ method: 'GET', path: '/pix', query: { ...query, ...extra } })
    expect(list({ 'paginacao.paginaAtual': '0', devolucaoPresente: 'true' })).toEqual([])
    expect(list({ 'paginacao.paginaAtual': 'first' }).join()).toContain('paginacao.paginaAtual')
    expect(contract.validateRequest({ method: 'GET', path: '/pix', query: {} }).join()).toContain('inicio')
  })

  test('a list of received PIX needs no charges', () => {
    const pix = {
      endToEndId: END_TO_END,
      valor: '1.00',
      horario: '2026-11-01T00:00:00Z',
      chave: 'a',
      txid: 'a'.repeat(32),
    }
    const parametros = {
      inicio: '2026-11-01T00:00:00Z',
      fim: '2026-11-02T00:00:00Z',
      paginacao: { paginaAtual: 0, itensPorPagina: 100, quantidadeDePaginas: 1, quantidadeTotalDeItens: 1 },
    }
    const list = { method: 'GET', path: '/pix', status: 200, body: { parametros, pix: [pix] } }
    expect(contract.validateResponse(list)).toEqual([])
  })
})

describe("Woovi's document", () => {
  const request = { method: 'POST', path: '/api/v1/charge' }
  const charge = { correlationID: 'c1', value: 100 }
  const customer = { name: 'Ana', taxID: '52998224725', email: 'ana@exemplo.com.br' }

  test('a customer may have a document and an address of e-mail, but must have a name', () => {
    expect(findWooviRequestViolations({ ...request, body: { ...charge, customer } })).toEqual([])
    const unnamed = { ...charge, customer: { ...customer, name: 7 } }
    expect(findWooviRequestViolations({ ...request, body: unnamed }).join()).toContain('/customer/name')
  })

  test('an amount as a text is a violation, in a request and in a response', () => {
    const body = { ...charge, value: '1.00' }
    expect(findWooviRequestViolations({ ...request, body }).join()).toContain('/value must be number')
    const answer = { ...request, status: 200, body: { charge: { ...body, customer: null, expiresIn: 60 } } }
    expect(findWooviResponseViolations(answer)).toEqual([
      expect.stringContaining('/charge/value must be number'),
    ])
  })
})
