import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { fetch } from 'undici'
import { parseBrCode } from '../../packages/simulator/br-code.ts'
import type { EfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, pollUntil, type SimulatorFixture } from './support/simulator-fixture.ts'

describe('charges', () => {
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
    [
      'value zero',
      { valor: { original: '0.00' } },
      'https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida',
    ],
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
})

describe('payments', () => {
  let simulator: SimulatorFixture
  let efi: EfiClient
  beforeAll(async () => {
    simulator = await openSimulatorFixture()
    efi = await simulator.createShop()
  })
  afterAll(() => simulator.close())

  let count = 0
  const charged = async (value = '12.34', more: object = {}) => {
    const { body } = await efi.createCob(`payment${String(++count).padStart(25, '0')}`, value, more)
    return { txid: body.txid as string, payload: body.pixCopiaECola as string }
  }
  /** The notifications of a charge that reached that inbox. */
  const notificationsOf = async (inbox: string, txid: string) =>
    (await simulator.control.listInbox(inbox)).filter(message => message.body.includes(txid))
  const register = (url: string) => efi.put('/v2/webhook/loja@trilho.test', { webhookUrl: url })

  test('a paid charge is CONCLUIDA, its amount is credited, and its notification arrives', async () => {
    await register(`${simulator.facts.inbox_url}/paid`)
    const accountBefore = await simulator.control.findAccount('shop')
    const { txid, payload } = await charged()
    const payer = { name: 'Maria', document: '52998224725' }
    const { end_to_end } = await simulator.control.pay({ payload, payer })
    expect(end_to_end).toMatch(/^E99999004\d{12}\w{11}$/)

    const { body } = await efi.get(`/v2/cob/${txid}`)
    expect(body).toMatchObject({
      status: 'CONCLUIDA',
      pix: [{ endToEndId: end_to_end, txid, valor: '12.34' }],
    })
    expect(body.pix[0]).not.toHaveProperty('pagador')
    expect((await efi.get(`/v2/pix/${end_to_end}`)).body).toEqual(body.pix[0])
    expect((await simulator.control.findAccount('shop')).balance).toBeCloseTo(accountBefore.balance + 12.34)

    const [notification] = await pollUntil(
      () => notificationsOf('paid', txid),
      messages => messages.length === 1,
    )
    expect(notification).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } })
    expect(JSON.parse(notification!.body)).toEqual({ pix: [body.pix[0]] })
  })

  test('a notification shows the payer once the account’s configuration enables it', async () => {
    await register(`${simulator.facts.inbox_url}/payer`)
    const recebimento = {
      txidObrigatorio: false,
      qrCodeEstatico: { recusarTodos: false },
      webhook: { notificacao: { tarifa: false, pagador: true } },
    }
    const config = { pix: { receberSemChave: true, chaves: { 'loja@trilho.test': { recebimento } } } }
    expect((await efi.put('/v2/gn/config', config)).status).toBe(204)
    const { txid, payload } = await charged()
    await simulator.control.pay({ payload, payer: { name: 'Maria', document: '52998224725' } })
    const [notification] = await pollUntil(
      () => notificationsOf('payer', txid),
      messages => messages.length === 1,
    )
    const payer = { nome: 'Maria', cpf: '52998224725' }
    expect(JSON.parse(notification!.body).pix).toMatchObject([
      { pagador: payer, gnExtras: { pagador: payer } },
    ])
    await efi.put('/v2/gn/config', { pix: { receberSemChave: true } })
  })

  test('an address that ends in ?ignorar= is called unchanged', async () => {
    await register(`${simulator.facts.inbox_url}/alone?hmac=abc&ignorar=`)
    const { txid, payload } = await charged()
    await simulator.control.pay({ payload })
    await pollUntil(
      () => notificationsOf('alone', txid),
      messages => messages.length === 1,
    )
  })

  test('a notification is repeated until it is answered 2xx, and listed even where it was refused', async () => {
    await register(`${simulator.facts.inbox_url}/stubborn?ignorar=`)
    await simulator.control.setInboxResponse('stubborn', { status: 500 })
    const { txid, payload } = await charged()
    await simulator.control.pay({ payload })
    await pollUntil(
      () => notificationsOf('stubborn', txid),
      messages => messages.length >= 2,
    )
    await simulator.control.setInboxResponse('stubborn', { status: 200 })
    await pollUntil(
      () => notificationsOf('stubborn', txid),
      messages => messages.length >= 3,
    )
    expect(new Set((await notificationsOf('stubborn', txid)).map(one => one.body)).size).toBe(1)
  })

  test('a charge is paid once, and not after its time', async () => {
    const { payload } = await charged()
    const all = await Promise.allSettled([1, 2, 3, 4].map(() => simulator.control.pay({ payload })))
    expect(all.filter(one => one.status === 'fulfilled')).toHaveLength(1)

    const late = await charged('1.00', { calendario: { expiracao: 60 } })
    simulator.advanceClock(61)
    await expect(simulator.control.pay({ payload: late.payload })).rejects.toMatchObject({
      status: 409,
      message: 'not payable: expired',
    })
    expect((await efi.get(`/v2/cob/${late.txid}`)).body.status).toBe('ATIVA')
  })

  test('payments that a bank would refuse can be forced: late, repeated, removed, of another amount', async () => {
    const { txid, payload } = await charged('10.00')
    const pixOf = async () => (await efi.get(`/v2/cob/${txid}`)).body
    await simulator.control.pay({ payload, value: 9.99 })
    expect(await pixOf()).toMatchObject({ status: 'ATIVA', pix: [{ valor: '9.99' }] })
    await efi.call('PATCH', `/v2/cob/${txid}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' })
    await expect(simulator.control.pay({ payload })).rejects.toMatchObject({ status: 409 })
    await simulator.control.pay({ payload, force: true })
    await simulator.control.pay({ payload, force: true })
    expect((await pixOf()).pix.map((pix: { valor: string }) => pix.valor)).toEqual(['9.99', '10.00', '10.00'])
  })

  test('a deposit has no txid, a foreign payment has a foreign one; both are notified and listed', async () => {
    await register(`${simulator.facts.inbox_url}/deposits?ignorar=`)
    const since = new Date(Date.now() - 1000).toISOString()
    // Without a txid a PIX is notified only where the account's configuration says so.
    await simulator.control.deposit({ provider: 'PROVIDER_A', value: 1 })
    expect((await efi.call('PUT', '/v2/gn/config', withoutTxid(true))).status).toBe(204)
    expect((await efi.get('/v2/gn/config')).body).toEqual(withoutTxid(true))
    const own = await simulator.control.deposit({ provider: 'PROVIDER_A', value: 50 })
    const foreign = await simulator.control.deposit({ key: 'loja@trilho.test', value: 7.5, txid: 'alheio' })
    const received = await pollUntil(
      () => simulator.control.listInbox('deposits'),
      messages => messages.length === 2,
    )
    const items = received.map(one => JSON.parse(one.body).pix[0])
    expect(items.map(item => [item.endToEndId, item.txid]).toSorted()).toEqual(
      [
        [own.end_to_end, undefined],
        [foreign.end_to_end, 'alheio'],
      ].toSorted(),
    )
    const listed = (query: string) => efi.get(`/v2/pix?inicio=${since}&fim=2099-01-01T00:00:00Z${query}`)
    const withTxid = (await listed('&txid=alheio')).body.pix
    expect(withTxid).toMatchObject([{ endToEndId: foreign.end_to_end, valor: '7.50' }])
    const without = (await listed('&txIdPresente=false')).body.pix
    expect(without.at(-1)).toMatchObject({ endToEndId: own.end_to_end })
  })

  const withoutTxid = (pixSemTxid: boolean) => ({
    pix: {
      receberSemChave: true,
      chaves: {
        'loja@trilho.test': {
          recebimento: {
            txidObrigatorio: false,
            qrCodeEstatico: { recusarTodos: false },
            webhook: { notificar: { pixSemTxid } },
          },
        },
      },
    },
  })

  test('webhooks are listed and removed; plain http is allowed to this machine only', async () => {
    expect((await register('http://example.com.br/x')).body.nome).toBe('valor_invalido')
    expect((await register('http://127.0.0.1:3000/provider-notifications/x')).status).toBe(201)
    const response = await efi.get('/v2/webhook/loja@trilho.test')
    expect(response.body).toMatchObject({
      webhookUrl: 'http://127.0.0.1:3000/provider-notifications/x',
      chave: 'loja@trilho.test',
    })
    expect((await efi.call('DELETE', '/v2/webhook/loja@trilho.test')).status).toBe(204)
    expect((await efi.get('/v2/webhook/loja@trilho.test')).status).toBe(404)
  })

  test('with magic amounts a charge of at most ten reais is paid automatically', async () => {
    const magic = await simulator.createShop({ amount_magic: true })
    await magic.createCob('m'.repeat(32), '10.00')
    await magic.createCob('n'.repeat(32), '10.01')
    await pollUntil(
      () => magic.get(`/v2/cob/${'m'.repeat(32)}`),
      response => response.body.status === 'CONCLUIDA',
    )
    expect((await magic.get(`/v2/cob/${'n'.repeat(32)}`)).body.status).toBe('ATIVA')
  })

  test('an unresponsive receiver delays no other receiver', async () => {
    await simulator.control.setInboxResponse('hanging', { delay_ms: 600_000 })
    await register(`${simulator.facts.inbox_url}/hanging?ignorar=`)
    await Promise.all(
      Array.from({ length: 140 }, () => simulator.control.deposit({ account: 'shop', value: 0.01 })),
    )
    await efi.send('past', 'maria@example.com', '1.00')
    await pollUntil(
      () => efi.findSent('past'),
      response => response.body.status === 'REALIZADO',
    )
  })
})

describe('payer page', () => {
  let simulator: SimulatorFixture
  let efi: EfiClient
  beforeAll(async () => {
    simulator = await openSimulatorFixture()
    efi = await simulator.createShop({ holder: { name: 'Loja <b>São</b> João', document: '11222333000181' } })
  })
  afterAll(() => simulator.close())

  let count = 0
  const payload = async (value: string) => {
    const { body } = await efi.createCob(`page${String(++count).padStart(28, '0')}`, value, {
      solicitacaoPagador: '<i>Pedido</i>',
    })
    return body.pixCopiaECola as string
  }
  const page = async (path: string, form?: Record<string, string>) => {
    const answer = await fetch(`${simulator.facts.url}${path}`, {
      dispatcher: simulator.browser,
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    })
    return { status: answer.status, html: await answer.text(), headers: answer.headers }
  }

  test('the page shows the amount of the code, and a click pays it', async () => {
    const code = await payload('1234.56')
    const seen = await page(`/pay?payload=${encodeURIComponent(code)}`)
    expect(seen.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(seen.html).toContain('<html lang="pt-BR">')
    for (const text of ['R$\u00a01.234,56', 'loja@trilho.test', 'page0000', '<form method="post"'])
      expect(seen.html).toContain(text)
    expect(seen.html).not.toMatch(/<[bi]>|<script/)
    expect(seen.html).toContain(`Loja ${escaped('<b>')}Sao${escaped('</b>')} Joao`)
    expect(seen.html).toContain(`${escaped('<i>')}Pedido${escaped('</i>')}`)

    const field = /name="payload" value="([^"]*)"/.exec(seen.html)![1]!
    const paid = await page('/pay', { payload: unescaped(field) })
    expect(paid.status).toBe(200)
    expect(paid.html).toMatch(/Pagamento realizado[\s\S]*E99999004/)
    const repeat = await page('/pay', { payload: code })
    expect([repeat.status, repeat.html.includes('já foi paga')]).toEqual([409, true])
  })

  test('an unreadable code is answered with an explanation', async () => {
    const { html } = await page('/pay?payload=%3Cscript%3E')
    expect(html).toContain('role="alert"')
    expect(html).not.toContain('<script')
  })

  test('without a code the page asks for one; the index links to it', async () => {
    expect((await page('/pay')).html).toContain('<label for="payload">')
    expect((await page('/')).html).toContain('href="/pay"')
  })

  test('the payload URL serves a signed document, and 410 once it cannot be paid', async () => {
    const { body } = await efi.createCob('q'.repeat(32), '3.00')
    const path = body.location.slice(body.location.indexOf('/'))
    const response = await page(path)
    expect(response.headers.get('content-type')).toMatch(/^application\/jose/)
    const document = JSON.parse(Buffer.from(response.html.split('.')[1]!, 'base64url').toString())
    expect(document).toMatchObject({
      txid: 'q'.repeat(32),
      chave: 'loja@trilho.test',
      valor: { original: '3.00' },
    })
    await simulator.control.pay({ payload: body.pixCopiaECola })
    expect((await page(path)).status).toBe(410)
    expect((await page('/qr/v2/00000000000000000000000000000000')).status).toBe(404)
  })

  test('the inbox records any request and answers as configured', async () => {
    await simulator.control.setInboxResponse('shop', {
      status: 503,
      headers: { 'retry-after': '7' },
      delay_ms: 20,
    })
    const answer = await fetch(`${simulator.facts.inbox_url}/shop`, {
      method: 'PUT',
      dispatcher: simulator.browser,
      headers: { 'webhook-id': 'w1' },
      body: '{ "as": "it came" }',
    })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7'])
    const [message] = await simulator.control.listInbox('shop')
    expect(message).toMatchObject({
      method: 'PUT',
      body: '{ "as": "it came" }',
      headers: { 'webhook-id': 'w1' },
    })
  })

  function escaped(text: string): string {
    return text.replaceAll(/[<>]/g, character => `&#${character.charCodeAt(0)};`)
  }

  function unescaped(text: string): string {
    return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  }
})
