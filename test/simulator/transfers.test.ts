import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createEfiClient, type EfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, pollUntil, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'
import { createWooviClient, type WooviClient } from './support/woovi-client.ts'

describe('transfers', () => {
  let simulator: SimulatorFixture
  let efi: EfiClient
  beforeAll(async () => {
    simulator = await openSimulatorFixture()
    efi = await simulator.createShop({ balance: 10_000 })
    await efi.put('/v2/webhook/loja@trilho.test', {
      webhookUrl: `${simulator.facts.inbox_url}/sent?ignorar=`,
    })
  })
  afterAll(() => simulator.close())

  const balances = async () => {
    const { balance, held } = await simulator.control.findAccount('shop')
    return { balance, held }
  }
  const settled = (id: string) =>
    pollUntil(
      () => efi.findSent(id),
      response => response.status === 200 && response.body.status !== 'EM_PROCESSAMENTO',
    )
  const notificationOf = async (id: string) => {
    const fits = (body: string) => JSON.parse(body).pix[0].gnExtras?.idEnvio === id
    const outcome = await pollUntil(
      () => simulator.control.listInbox('sent'),
      all => all.some(one => fits(one.body)),
    )
    return JSON.parse(outcome.find(one => fits(one.body))!.body).pix[0]
  }

  test('a transfer is accepted, settles, and is notified', async () => {
    const balancesBefore = await balances()
    const accepted = await efi.send('send1', 'maria@example.com', '10.00')
    expect(accepted.status).toBe(201)
    expect(accepted.body).toMatchObject({ idEnvio: 'send1', valor: '10.00', status: 'EM_PROCESSAMENTO' })
    expect(accepted.body.e2eId).toMatch(/^E09089356\d{12}\w{11}$/)

    const { body } = await settled('send1')
    expect(body).toMatchObject({
      endToEndId: accepted.body.e2eId,
      status: 'REALIZADO',
      favorecido: { chave: 'maria@example.com' },
      horario: { liquidacao: expect.any(String) },
    })
    expect((await efi.get(`/v2/gn/pix/enviados/${accepted.body.e2eId}`)).body).toEqual(body)
    expect(await notificationOf('send1')).toMatchObject({
      status: 'REALIZADO',
      endToEndId: accepted.body.e2eId,
    })
    expect(await balances()).toEqual({ balance: balancesBefore.balance - 10, held: 0 })
  })

  test('an id sends once, and the statement lists it once', async () => {
    const all = await Promise.all([1, 2, 3].map(() => efi.send('once', 'maria@example.com')))
    expect(all.map(one => one.status).sort()).toEqual([201, 409, 409])
    await settled('once')
    const lines = (await simulator.control.listStatement('PROVIDER_A')).filter(line => line.id === 'once')
    expect(lines).toMatchObject([{ kind: 'transfer', value: 10 }])
  })

  test.each(['ac03', 'am04', 'frad', 'ab03'])('%s@ is refused in the response with its code', async code => {
    const balancesBefore = await balances()
    const refusal = await efi.send(`at${code}`, `${code}@sim.trilho.test`)
    expect([refusal.status, refusal.body.nome]).toEqual([422, 'pagamento_negado'])
    expect(refusal.body.erro.codigo).toBe(code.toUpperCase())
    expect((await efi.findSent(`at${code}`)).body.type).toMatch(/PixEnviadoNaoEncontrado$/)
    expect(await balances()).toEqual(balancesBefore)
  })

  test('ac03-later@ is accepted, then rejected by notification, and its amount is credited back', async () => {
    const balancesBefore = await balances()
    expect((await efi.send('later', 'ac03-later@sim.trilho.test')).status).toBe(201)
    const { body } = await settled('later')
    expect(body).toMatchObject({ status: 'NAO_REALIZADO' })
    expect(body).not.toHaveProperty('gnExtras')
    expect(await notificationOf('later')).toMatchObject({
      status: 'NAO_REALIZADO',
      gnExtras: { erro: { codigo: 'AC03' } },
    })
    expect(await balances()).toEqual(balancesBefore)
  })

  test('returned@ settles and returns everything', async () => {
    const balancesBefore = await balances()
    await efi.send('back', 'returned@sim.trilho.test', '30.00')
    const { body } = await pollUntil(
      () => efi.findSent('back'),
      response => response.body.devolucoes !== undefined,
    )
    expect(body.devolucoes).toMatchObject([{ valor: '30.00', rtrId: expect.stringMatching(/^D99999004/) }])
    expect(await balances()).toEqual(balancesBefore)
  })

  test('a recipient may return a part and then the rest, never more', async () => {
    const { body } = await efi.send('parts', 'maria@example.com', '30.00')
    await settled('parts')
    await simulator.control.returnTransfer({ end_to_end: body.e2eId, value: 12.5 })
    await simulator.control.returnTransfer({ end_to_end: body.e2eId })
    await expect(
      simulator.control.returnTransfer({ end_to_end: body.e2eId, value: 0.01 }),
    ).rejects.toMatchObject({
      status: 409,
    })
    const values = (await efi.findSent('parts')).body.devolucoes.map((one: { valor: string }) => one.valor)
    expect(values).toEqual(['12.50', '17.50'])
  })

  test('timeout-then-done@ does not answer and sends; sent again it exists', async () => {
    await expect(efi.send('silent1', 'timeout-then-done@sim.trilho.test')).rejects.toThrow()
    expect((await settled('silent1')).body.status).toBe('REALIZADO')
    expect((await efi.send('silent1', 'timeout-then-done@sim.trilho.test')).body.nome).toBe(
      'id_envio_duplicado',
    )
  })

  test('timeout-then-absent@ does not answer and does not send; sent again it arrives', async () => {
    await expect(efi.send('silent2', 'timeout-then-absent@sim.trilho.test')).rejects.toThrow()
    expect((await efi.findSent('silent2')).status).toBe(404)
    expect((await efi.send('silent2', 'timeout-then-absent@sim.trilho.test')).status).toBe(201)
  })

  test('slow@ answers late and correctly', async () => {
    const start = Date.now()
    expect((await efi.send('slow1', 'slow@sim.trilho.test')).status).toBe(201)
    expect(Date.now() - start).toBeGreaterThanOrEqual(48)
  })

  test.each([
    ['to no key', () => efi.send('r2', 'not a key'), 'valor_invalido'],
    [
      "a document not the key owner's",
      () => efi.send('r3', { chave: '52998224725', cpf: '12345678909' }),
      'chave_nao_pertence_ao_documento',
    ],
    ['nothing', () => efi.send('r4', 'maria@example.com', '0.00'), 'valor_invalido'],
    ['by an id with a hyphen', () => efi.send('r-5', 'maria@example.com'), 'valor_invalido'],
  ])('a transfer with %s is refused', async (_, send, nome) => {
    const refusal = await send()
    expect([refusal.status, refusal.body.nome]).toEqual([400, nome])
  })

  test('a transfer beyond the balance is refused with the rail’s code', async () => {
    const denied = await efi.send('r6', 'maria@example.com', '99999.00')
    expect(denied.status).toBe(422)
    expect(denied.body).toMatchObject({ nome: 'pagamento_negado', erro: { codigo: 'AM04' } })
  })

  test('a recipient is identified by bank data, or by a document as a key', async () => {
    const bank = {
      nome: 'José',
      cpf: '52998224725',
      codigoBanco: '00000000',
      agencia: '1',
      conta: '123',
      tipoConta: 'cacc',
    }
    expect((await efi.send('bank', { contaBanco: bank })).status).toBe(201)
    expect((await settled('bank')).body.favorecido.contaBanco).toMatchObject({
      nome: 'José',
      cpf: '***.982.247-**',
    })
    expect((await efi.send('owner', { chave: '52998224725', cpf: '52998224725' })).status).toBe(201)
  })

  test('a simulated recipient receives it under the same end-to-end id, and only that recipient can return it', async () => {
    const settings = { ...SHOP, provider: 'PROVIDER_B' as const, keys: ['vizinha@trilho.test'], balance: 0 }
    await simulator.control.putAccount('neighbour', settings)
    const { body } = await efi.send('next', 'vizinha@trilho.test', '25.00')
    await settled('next')
    expect((await simulator.control.findAccount('neighbour')).balance).toBe(25)
    const lines = (await simulator.control.listStatement()).filter(line => line.end_to_end === body.e2eId)
    expect(lines.map(line => [line.account, line.kind])).toEqual([
      ['shop', 'transfer'],
      ['neighbour', 'deposit'],
    ])
    await expect(
      simulator.control.returnTransfer({ end_to_end: body.e2eId, value: 12.5 }),
    ).rejects.toMatchObject({
      status: 409,
    })
  })

  test('answers have fields that Efí does not publish only where the account has the option', async () => {
    const empty = '/v2/gn/pix/enviados?inicio=2020-01-01T00:00:00Z&fim=2020-01-02T00:00:00Z'
    const read = async () => {
      const { end_to_end } = await simulator.control.deposit({ account: 'shop', value: 2 })
      const refund = await efi.put(`/v2/pix/${end_to_end}/devolucao/d1`, { valor: '1.00' })
      const [pix, list] = [await efi.get(`/v2/pix/${end_to_end}`), await efi.get(empty)]
      return {
        list: [list.status, list.body.pix ?? list.body.type],
        fields: ['natureza' in refund.body, 'pagador' in pix.body, 'gnExtras' in pix.body],
      }
    }
    expect(await read()).toEqual({
      list: [404, expect.stringMatching(/PixEnviadoNaoEncontrado$/)],
      fields: [false, false, false],
    })
    await simulator.createShop({ options: { unpublished_fields: true } })
    expect(await read()).toEqual({ list: [200, []], fields: [true, true, true] })
    await simulator.createShop()
    expect((await efi.get('/v2/nada')).body).toMatchObject({ nome: 'nao_encontrado' })
  })

  test('with magic amounts the value decides the outcome', async () => {
    const magic = await simulator.createShop({ amount_magic: true })
    expect((await magic.send('m1', 'maria@example.com', '20.01')).status).toBe(422)
    await magic.send('m2', 'maria@example.com', '20.00')
    await magic.send('m3', 'maria@example.com', '4.00')
    expect((await settled('m2')).body.status).toBe('NAO_REALIZADO')
    await pollUntil(
      () => magic.findSent('m3'),
      response => response.body.devolucoes?.length === 2,
    )
    await simulator.createShop()
  })
})

describe('refunds', () => {
  let simulator: SimulatorFixture
  let efi: EfiClient
  beforeAll(async () => {
    simulator = await openSimulatorFixture()
    efi = await simulator.createShop({ balance: 0, options: { unpublished_fields: true } })
    await efi.put('/v2/webhook/loja@trilho.test', {
      webhookUrl: `${simulator.facts.inbox_url}/back?ignorar=`,
    })
  })
  afterAll(() => simulator.close())

  const received = async (value: number) =>
    (await simulator.control.deposit({ account: 'shop', value })).end_to_end
  const refund = (endToEnd: string, id: string, valor: string, descricao?: string) =>
    efi.put(`/v2/pix/${endToEnd}/devolucao/${id}`, { valor, descricao })
  const settled = (endToEnd: string, id: string) =>
    pollUntil(
      () => efi.get(`/v2/pix/${endToEnd}/devolucao/${id}`),
      response => response.body.status !== 'EM_PROCESSAMENTO',
    )

  test('a devolução is accepted, settles, and is notified with its PIX', async () => {
    const endToEnd = await received(30)
    const accepted = await refund(endToEnd, 'back1', '12.50', 'Pedido 1042')
    expect(accepted.status).toBe(201)
    expect(accepted.body).toMatchObject({ id: 'back1', valor: '12.50', status: 'EM_PROCESSAMENTO' })
    expect(accepted.body.rtrId).toMatch(/^D09089356\d{12}\w{11}$/)

    const { body } = await settled(endToEnd, 'back1')
    expect(body).toMatchObject({
      status: 'DEVOLVIDO',
      descricao: 'Pedido 1042',
      horario: { liquidacao: expect.any(String) },
    })
    expect((await efi.get(`/v2/pix/${endToEnd}`)).body.devolucoes).toEqual([body])
    const notifications = await pollUntil(
      () => simulator.control.listInbox('back'),
      all => all.some(one => one.body.includes('back1')),
    )
    const receivedPix = notifications
      .map(notification => JSON.parse(notification.body).pix[0])
      .find(pix => pix.devolucoes)
    expect(receivedPix).toMatchObject({
      endToEndId: endToEnd,
      devolucoes: [{ id: 'back1', status: 'DEVOLVIDO' }],
    })
  })

  test('devoluções never exceed the PIX, however many there are', async () => {
    const endToEnd = await received(10)
    const all = await Promise.all(['a', 'b', 'c'].map(id => refund(endToEnd, id, '4.00')))
    expect(all.map(one => one.status).sort()).toEqual([201, 201, 400])
    expect(all.find(one => one.status === 400)!.body.type).toMatch(/PixDevolucaoInvalida$/)
    expect((await refund(endToEnd, 'd', '2.00')).status).toBe(201)
  })

  test('an id is used once, and only for a received PIX', async () => {
    const endToEnd = await received(10)
    await refund(endToEnd, 'same', '1.00')
    expect((await refund(endToEnd, 'same', '1.00')).body.nome).toBe('devolucao_id_duplicado')
    expect((await refund(`E${'9'.repeat(31)}`, 'x', '1.00')).body.nome).toBe('pix_nao_encontrado')
    expect((await efi.get(`/v2/pix/${endToEnd}/devolucao/none`)).body.nome).toBe('devolucao_nao_encontrada')
  })

  test('without balance it is accepted and then rejected, as at Efí', async () => {
    const endToEnd = await received(20)
    const { balance } = await simulator.control.findAccount('shop')
    await efi.send('empty', 'maria@example.com', balance.toFixed(2))
    await refund(endToEnd, 'poor', '20.00')
    expect((await settled(endToEnd, 'poor')).body).toMatchObject({
      status: 'NAO_REALIZADO',
      motivo: 'Saldo insuficiente para realizar a devolução.',
    })
    expect((await simulator.control.findAccount('shop')).balance).toBe(0)
  })

  test('rejected_then_done rejects a devolução with a notification, and carries it out later without one', async () => {
    const endToEnd = await received(20)
    const failing = (delay_ms: number) =>
      simulator.control.addFault({
        provider: 'PROVIDER_A',
        operation: 'refund',
        fault: 'rejected_then_done',
        delay_ms,
      })
    await failing(500)
    await refund(endToEnd, 'contradicted', '20.00')
    expect((await settled(endToEnd, 'contradicted')).body.status).toBe('NAO_REALIZADO')
    await pollUntil(
      () => efi.get(`/v2/pix/${endToEnd}/devolucao/contradicted`),
      response => response.body.status === 'DEVOLVIDO',
    )
    const notifications = (await simulator.control.listInbox('back')).map(message => message.body)
    expect(notifications.filter(body => body.includes('contradicted'))).toEqual([
      expect.stringContaining('NAO_REALIZADO'),
    ])
    const lines = await simulator.control.listStatement()
    expect(lines.filter(line => line.id === 'contradicted')).toMatchObject([{ kind: 'refund', value: 20 }])

    // Another devolução took the PIX meanwhile. What is due is done in the order of its time.
    const other = await received(20)
    await failing(60_000)
    await refund(other, 'replaced', '20.00')
    await settled(other, 'replaced')
    await refund(other, 'replacement', '20.00')
    await settled(other, 'replacement')
    simulator.advanceClock(60)
    const last = await received(1)
    await refund(last, 'last', '1.00')
    await settled(last, 'last')
    expect((await efi.get(`/v2/pix/${other}/devolucao/replaced`)).body.status).toBe('NAO_REALIZADO')
  })

  test('after ninety days it is refused as too late', async () => {
    const endToEnd = await received(1)
    simulator.advanceClock(90 * 86_400 + 1)
    await efi.authorize()
    const late = await refund(endToEnd, 'late', '1.00')
    expect([late.status, late.body.violacoes[0].propriedade]).toEqual([400, 'pix.devolucao.e2eid'])
  })

  test('a return by a simulated recipient reaches the sender', async () => {
    const settings = {
      ...SHOP,
      provider: 'PROVIDER_C' as const,
      keys: ['remetente@trilho.test'],
      balance: 50,
    }
    const sender = await simulator.control.putAccount('sender', settings)
    expect(sender.balance).toBe(50)
    const caller = createEfiClient(simulator.facts.providers.PROVIDER_C.base_url, {
      ca: simulator.ca,
      ...SHOP,
    })
    const { body } = await caller.put('/v3/gn/pix/gift', {
      valor: '5.00',
      pagador: { chave: 'remetente@trilho.test' },
      favorecido: { chave: 'loja@trilho.test' },
    })
    await pollUntil(
      () => efi.get(`/v2/pix/${body.e2eId}`),
      response => response.status === 200,
    )
    await refund(body.e2eId, 'thanks', '5.00')
    const { balance } = await pollUntil(
      () => simulator.control.findAccount('sender'),
      one => one.balance === 50,
    )
    expect(balance).toBe(50)
    await caller.close()
  })

  test('statement and balances add up', async () => {
    for (const id of ['shop', 'sender']) {
      const { balance, held } = await pollUntil(
        () => simulator.control.findAccount(id),
        one => one.held === 0,
      )
      const lines = (await simulator.control.listStatement()).filter(line => line.account === id)
      const signed = lines.map(line => Math.round(line.value * 100) * (OUT.has(line.kind) ? -1 : 1))
      const opening = id === 'sender' ? 5_000 : 0
      expect(signed.reduce((sum, cents) => sum + cents, opening)).toBe(Math.round((balance + held) * 100))
    }
  })
  const OUT = new Set(['transfer', 'refund'])
})

describe('pix keys', () => {
  let simulator: SimulatorFixture
  let woovi: WooviClient
  beforeAll(async () => {
    simulator = await openSimulatorFixture()
    await simulator.control.putAccount('shop', { ...SHOP, keys: [...SHOP.keys], dialect: 'woovi' })
    woovi = createWooviClient(simulator.facts.providers.PROVIDER_A.base_url, { ca: simulator.ca, ...SHOP })
  })
  afterAll(async () => {
    await woovi.close()
    await simulator.close()
  })

  const keysThere = async () =>
    (await woovi.get('/pix-keys')).body.pixKeys.map(({ key }: { key: string }) => key) as string[]

  test('keys of each type are created, listed, kept when the account is configured, and removed', async () => {
    const made: string[] = []
    for (const body of [
      { type: 'EVP' },
      { type: 'CNPJ', key: SHOP.holder.document },
      { type: 'EMAIL', key: 'nova@trilho.test' },
      { type: 'PHONE', key: '+5511987654321' },
    ]) {
      const { status, body: response } = await woovi.post('/pix-keys', body)
      expect(status).toBe(201)
      expect(response).toMatchObject({ ...body, isDefault: false })
      made.push(response.key)
    }
    await simulator.control.putAccount('shop', { ...SHOP, keys: [...SHOP.keys], dialect: 'woovi' })
    expect(await keysThere()).toEqual(expect.arrayContaining([...SHOP.keys, ...made]))
    for (const key of made)
      expect((await woovi.delete(`/pix-keys/${encodeURIComponent(key)}`)).status).toBe(204)
    expect(await keysThere()).toEqual([...SHOP.keys])
  })

  test.each([
    [{ type: 'EMAIL', key: 'tomada@trilho.test' }, 'Esta chave Pix já está cadastrada'],
    [{ type: 'EMAIL', key: SHOP.keys[0] }, 'Esta chave Pix já está cadastrada'],
    [{ type: 'CNPJ', key: '12ABC34501DE35' }, 'A chave Pix deve ser o CNPJ da conta'],
  ])('%j is refused', async (body, error) => {
    const other = { ...SHOP, provider: 'PROVIDER_B' as const, keys: ['tomada@trilho.test'] }
    await simulator.control.putAccount('other', other)
    const refusal = await woovi.post('/pix-keys', body)
    expect([refusal.status, refusal.body]).toEqual([400, { error }])
  })

  test.each([{ type: 'CPF', key: '12345678909' }, { type: 'EMAIL' }, { type: 'PHONE', key: '11987654321' }])(
    '%j is not a PIX key',
    async body => {
      const { status, body: response } = await woovi.post('/pix-keys', body)
      expect(status).toBe(400)
      expect(response.errors).toHaveLength(1)
    },
  )

  test('the default key cannot be removed, and an unknown one is not found', async () => {
    const [shops] = SHOP.keys
    const stays = await woovi.delete(`/pix-keys/${encodeURIComponent(shops)}`)
    expect(stays.body).toEqual({ error: 'Não é possível remover a chave padrão da conta' })
    const absent = await woovi.delete('/pix-keys/maria%40example.com')
    expect([absent.status, absent.body]).toEqual([404, { error: 'Pix key not found' }])
  })

  test('a person has at most five keys, through either API', async () => {
    const holder = { name: 'Ana', document: '52998224725' }
    const settings = {
      ...SHOP,
      holder,
      client_id: 'ana',
      provider: 'PROVIDER_C' as const,
      keys: ['ana@trilho.test'],
    }
    const efi = await simulator.createShop({ ...settings })
    await simulator.control.putAccount('ana', {
      ...settings,
      client_id: 'ana-2',
      keys: ['ana2@trilho.test'],
      dialect: 'woovi',
    })
    const ana = createWooviClient(simulator.facts.providers.PROVIDER_C.base_url, {
      ca: simulator.ca,
      ...SHOP,
      client_id: 'ana-2',
    })
    for (const made of [1, 2, 3, 4]) {
      expect([made, (await efi.call('POST', '/v2/gn/evp')).status]).toEqual([made, 201])
      expect([made, (await ana.post('/pix-keys', { type: 'EVP' })).status]).toEqual([made, 201])
    }
    expect((await efi.call('POST', '/v2/gn/evp')).body).toMatchObject({
      nome: 'limite_criacao_chave_atingido',
    })
    expect((await ana.post('/pix-keys', { type: 'EVP' })).body).toEqual({
      error: 'Limite de chaves Pix atingido',
    })
    await ana.close()
  })
})
