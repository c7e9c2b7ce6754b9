import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { BankClient } from './support/bank-client.ts'
import { BANK_KEYS, BANKS, createBankCaller, putBankAccount } from './support/banks.ts'
import { openSimulatorFixture, pollUntil, type SimulatorFixture } from './support/simulator-fixture.ts'

/** The Central Bank's part of the simulated Sicoob and Inter; every answer is validated by the published documents. */
describe.each(['sicoob', 'inter'] as const)('%s', bank => {
  const { pix: base, described } = BANKS[bank]
  const key = BANK_KEYS[bank]
  let simulator: SimulatorFixture
  let client: BankClient
  beforeAll(async () => {
    simulator = await openSimulatorFixture()
    await putBankAccount(simulator, bank, { balance: 1_000, options: { enforces_pace: false } })
    client = await createBankCaller(simulator, bank)
  })
  afterAll(async () => {
    await client.close()
    await simulator.close()
    expect(client.violations).toEqual([])
    // The Central Bank's text lists 400 for lists and, of Inter, for devoluções and webhooks; the descriptions of the calls do not.
    const listed = ['GET 400', 'PUT 400', ...(bank === 'inter' ? ['PUT 204'] : [])]
    expect([...client.undescribed].filter(one => !listed.includes(one))).toEqual([])
  })

  let count = 0
  const txid = () => `charge${String(++count).padStart(26, '0')}`
  const order = { calendario: { expiracao: 3600 }, valor: { original: '12.34' }, chave: key }
  const create = (id: string, more: object = {}) => client.put(`${base}/cob/${id}`, { ...order, ...more })
  const payCharge = async (id = txid(), more: object = {}) => {
    const { body } = await create(id, more)
    return await simulator.control.pay({ payload: body.pixCopiaECola ?? body.brcode })
  }
  const period = 'inicio=2020-01-01T00:00:00Z&fim=2099-01-01T00:00:00Z'
  const typeOf = ({ body }: { body: { type: string } }) => body.type.split('/').at(-1)

  describe('charges', () => {
    test('a charge is created, read, changed and removed', async () => {
      const id = txid()
      const devedor = { cpf: '52998224725', nome: 'Maria' }
      const created = await create(id, { devedor, solicitacaoPagador: 'Pedido 7' })
      expect(created.status).toBe(201)
      expect(created.body).toMatchObject({ txid: id, status: 'ATIVA', revisao: 0, devedor, chave: key })
      const changed = await client.patch(`${base}/cob/${id}`, { valor: { original: '5.00' } })
      expect(changed.body).toMatchObject({ revisao: 1, valor: { original: '5.00' } })
      const removed = await client.patch(`${base}/cob/${id}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' })
      expect(removed.body.status).toBe('REMOVIDA_PELO_USUARIO_RECEBEDOR')
      expect((await client.get(`${base}/cob/${id}`)).body).toMatchObject({ revisao: 2 })
      const first = JSON.parse((await client.raw('GET', `${base}/cob/${id}?revisao=0`)).text)
      expect(first.valor.original).toBe('12.34')
      expect(typeOf(await client.patch(`${base}/cob/${id}`, { valor: { original: '6.00' } }))).toBe(
        'CobOperacaoInvalida',
      )
    })

    test('a charge of a company shows its debtor', async () => {
      const devedor = { cnpj: '11222333000181', nome: 'Loja Ltda' }
      expect((await create(txid(), { devedor })).body).toMatchObject({ devedor })
    })

    test('a charge without a txid gets one', async () => {
      const { status, text } = await client.raw('POST', `${base}/cob`, order)
      expect([status, JSON.parse(text).txid]).toEqual([201, expect.stringMatching(/^[a-zA-Z0-9]{26,35}$/)])
    })

    test('a repeated PUT of an active charge changes it, or leaves it where it asks for the same', async () => {
      const id = txid()
      await create(id)
      expect((await create(id)).body).toMatchObject({ revisao: 0, valor: { original: '12.34' } })
      expect((await create(id, { valor: { original: '9.00' } })).body).toMatchObject({
        revisao: 1,
        valor: { original: '9.00' },
      })
      const { body } = await client.get(`${base}/cob/${id}`)
      await simulator.control.pay({ payload: body.pixCopiaECola ?? body.brcode })
      expect(typeOf(await create(id))).toBe('CobOperacaoInvalida')
    })

    test.each([
      ['a zero amount', { valor: { original: '0.00' } }, 'cob.valor.original'],
      ['an amount with one decimal', { valor: { original: '1.5' } }, 'cob.valor.original'],
      ['no calendar', { calendario: undefined }, 'cob.calendario'],
      ['the key of another account', { chave: 'maria@example.com' }, 'cob.chave'],
      ['a debtor without a name', { devedor: { cpf: '52998224725' } }, 'cob.devedor'],
      [
        'a debtor with two documents',
        { devedor: { cpf: '52998224725', cnpj: '11222333000181', nome: 'M' } },
        'cob.devedor',
      ],
      ['a location that does not exist', { loc: { id: 77 } }, 'cob.loc.id'],
    ])('a charge with %s is refused with its field', async (_, change, propriedade) => {
      const refused = await create(txid(), change)
      expect([refused.status, typeOf(refused)]).toEqual([400, 'CobOperacaoInvalida'])
      expect(refused.body.violacoes[0].propriedade).toBe(propriedade)
    })

    test('a txid of the wrong form, an unknown charge and an unknown revision are refused', async () => {
      const short = await client.raw('PUT', `${base}/cob/short`, order)
      expect([short.status, JSON.parse(short.text).violacoes[0].propriedade]).toEqual([400, 'txid'])
      expect(typeOf(await client.get(`${base}/cob/${txid()}`))).toBe('CobNaoEncontrado')
      expect(typeOf(await client.patch(`${base}/cob/${txid()}`, {}))).toBe('CobNaoEncontrado')
      const id = txid()
      await create(id)
      expect(typeOf(await client.get(`${base}/cob/${id}?revisao=9`))).toBe('CobConsultaInvalida')
    })

    test('charges are listed in pages, by their status', async () => {
      const { body } = await client.get(`${base}/cob?${period}&paginacao.itensPorPagina=2`)
      expect([body.cobs.length, body.parametros.paginacao.itensPorPagina]).toEqual([2, 2])
      const removed = await client.get(`${base}/cob?${period}&status=REMOVIDA_PELO_USUARIO_RECEBEDOR`)
      expect(removed.body.cobs.map((cob: { status: string }) => cob.status)).toEqual([
        'REMOVIDA_PELO_USUARIO_RECEBEDOR',
      ])
      expect(
        typeOf(await client.get(`${base}/cob?inicio=2021-01-01T00:00:00Z&fim=2020-01-01T00:00:00Z`)),
      ).toBe('CobConsultaInvalida')
    })

    test('the payer pays a charge on the page of the simulator', async () => {
      const id = txid()
      const { end_to_end } = await payCharge(id)
      const { body } = await client.get(`${base}/cob/${id}`)
      expect(body).toMatchObject({ status: 'CONCLUIDA', pix: [{ endToEndId: end_to_end, valor: '12.34' }] })
      expect((await client.get(`${base}/pix/${end_to_end}`)).body).toMatchObject({ txid: id, chave: key })
    })
  })

  describe('devoluções', () => {
    test('a received PIX is refunded in parts, and not beyond its amount', async () => {
      const { end_to_end } = await payCharge()
      const refund = (id: string, valor: string) =>
        client.put(`${base}/pix/${end_to_end}/devolucao/${id}`, { valor })
      const accepted = await refund('part1', '5.00')
      expect([accepted.status, accepted.body.status]).toEqual([201, 'EM_PROCESSAMENTO'])
      const settled = await pollUntil(
        () => client.get(`${base}/pix/${end_to_end}/devolucao/part1`),
        response => response.body.status === 'DEVOLVIDO',
      )
      expect(settled.body).toMatchObject({ id: 'part1', valor: '5.00' })
      expect(typeOf(await refund('part1', '1.00'))).toBe('PixDevolucaoInvalida')
      expect(typeOf(await refund('part2', '7.35'))).toBe('PixDevolucaoInvalida')
      expect(typeOf(await refund('part2', '0.00'))).toBe('PixDevolucaoInvalida')
      expect((await client.get(`${base}/pix/${end_to_end}`)).body.devolucoes).toHaveLength(1)
    })

    test('an unknown PIX and an unknown devolução are not found', async () => {
      const unknown = `E00000000202001010000${'a'.repeat(11)}`
      expect(typeOf(await client.put(`${base}/pix/${unknown}/devolucao/x`, { valor: '1.00' }))).toBe(
        'PixNaoEncontrado',
      )
      expect(typeOf(await client.get(`${base}/pix/${unknown}`))).toBe('PixNaoEncontrado')
      const { end_to_end } = await payCharge()
      expect(typeOf(await client.get(`${base}/pix/${end_to_end}/devolucao/x`))).toBe(
        'PixDevolucaoNaoEncontrada',
      )
    })
  })

  test('received PIX are listed, filtered by txid; Inter lists only those of charges', async () => {
    const id = txid()
    const { end_to_end } = await payCharge(id)
    const deposit = await simulator.control.deposit({ account: bank, value: 3 })
    const filter = bank === 'inter' ? 'txId' : 'txid'
    const listed = async (more = '') => {
      const { body } = await client.get(`${base}/pix?${period}${more}`)
      return body.pix.map((pix: { endToEndId: string }) => pix.endToEndId)
    }
    expect(await listed(`&${filter}=${id}`)).toEqual([end_to_end])
    const all = await listed()
    expect(all).toContain(end_to_end)
    expect(all.includes(deposit.end_to_end)).toBe(bank === 'sicoob')
    expect((await client.get(`${base}/pix/${deposit.end_to_end}`)).status).toBe(bank === 'sicoob' ? 200 : 404)
  })

  test('a webhook is registered for a key, read and removed; a paid charge and its devolução are notified', async () => {
    const inbox = `${simulator.facts.inbox_url}/${bank}-secret`
    const registered = await client.put(`${base}/webhook/${key}`, { webhookUrl: inbox })
    expect([registered.status, registered.body]).toEqual([bank === 'sicoob' ? 200 : 204, null])
    expect((await client.get(`${base}/webhook/${key}`)).body).toMatchObject({ webhookUrl: inbox, chave: key })

    const { end_to_end } = await payCharge()
    await simulator.control.deposit({ account: bank, value: 3 })
    await client.put(`${base}/pix/${end_to_end}/devolucao/told`, { valor: '1.00' })
    const messages = await pollUntil(
      () => simulator.control.listInbox(`${bank}-secret`),
      all => all.length === 2,
    )
    for (const { body } of messages) {
      const { pix } = JSON.parse(body)
      expect(pix[0].endToEndId).toBe(end_to_end)
      const parts = described.filter(({ prefix }) => `${base}/webhook`.startsWith(prefix))
      for (const { prefix, contract } of parts) {
        const call = { method: 'PUT', path: `${base}/webhook/${key}`.slice(prefix.length) }
        expect(contract.validateCallback({ ...call, body: { pix } })).toEqual([])
      }
      expect(parts).toHaveLength(2)
    }
    const kinds = messages.map(({ body }) => JSON.parse(body).pix[0].devolucoes?.[0].status ?? 'paid')
    expect(kinds.toSorted()).toEqual(['DEVOLVIDO', 'paid'])
    if (bank === 'inter') {
      expect(messages[0]!.headers['x-conta-corrente']).toBe('13525622')
      await putBankAccount(simulator, bank, { options: { enforces_pace: false, bare_notifications: true } })
      const bare = await payCharge()
      const told = await pollUntil(
        () => simulator.control.listInbox(`${bank}-secret`),
        all => all.length === 3,
      )
      expect(JSON.parse(told.at(-1)!.body)[0].endToEndId).toBe(bare.end_to_end)
    }

    expect((await client.delete(`${base}/webhook/${key}`)).status).toBe(204)
    expect((await client.delete(`${base}/webhook/${key}`)).status).toBe(404)
    expect((await client.get(`${base}/webhook/${key}`)).status).toBe(404)
  })

  test('a webhook of another key, or by plain http elsewhere, is refused', async () => {
    const put = (path: string, webhookUrl: string) => client.put(`${base}/webhook/${path}`, { webhookUrl })
    expect((await put('maria@example.com', 'https://example.com/x')).status).toBe(
      bank === 'sicoob' ? 400 : 404,
    )
    expect(typeOf(await put(key, 'http://example.com/x'))).toBe('WebhookOperacaoInvalida')
  })
})
