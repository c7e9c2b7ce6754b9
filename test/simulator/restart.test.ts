import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { createSimulatorClient } from '../../packages/simulator/control/client.ts'
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts'
import { createBankCaller, putBankAccount } from './support/banks.ts'
import { createEfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, pollUntil, SHOP } from './support/simulator-fixture.ts'

test('accounts, charges, keys, faults and notifications survive a restart, on other ports', async () => {
  const first = await openSimulatorFixture()
  const efi = await first.createShop()
  const away = `${first.facts.inbox_url.replace(/:\d+/, ':9')}/never?ignorar=`
  await efi.put('/v2/webhook/loja@trilho.test', { webhookUrl: away })
  const { body: charge } = await efi.createCob('r'.repeat(32), '5.00')
  const { body: key } = await efi.call('POST', '/v2/gn/evp')
  await first.control.addFault({ provider: 'PROVIDER_A', operation: 'refund', fault: 'http_500', times: 3 })
  await first.control.deposit({ account: 'shop', value: 1 })
  await first.stop()

  const second = await openSimulatorFixture({ home: first.home })
  const repeat = await second.createShop({ balance: 999 })
  expect(await second.control.findAccount('shop')).toMatchObject({
    balance: 101,
    keys: expect.arrayContaining([key.chave]),
  })
  expect(await second.control.listFaults()).toMatchObject([{ fault: 'http_500', times: 3 }])
  await second.control.pay({ payload: charge.pixCopiaECola })
  expect((await repeat.get(`/v2/cob/${'r'.repeat(32)}`)).body.status).toBe('CONCLUIDA')
  expect(readFileSync(second.facts.ca_file, 'utf8')).toBe(first.ca)
  await second.close()
})

test('a started payment, an accepted one and a waiting one of the banks survive a restart', async () => {
  const first = await openSimulatorFixture()
  await putBankAccount(first, 'sicoob')
  await putBankAccount(first, 'inter', { options: { enforces_pace: false, approval_above: 50 } })
  const callers = [await createBankCaller(first, 'sicoob'), await createBankCaller(first, 'inter')] as const
  const order = (valor: number) => ({ valor, destinatario: { tipo: 'CHAVE', chave: 'maria@example.com' } })
  const id = { 'x-id-idempotente': '00000000-0000-4000-8000-000000000001' }
  const started = await callers[0].post('/pix-pagamentos/v2/pagamentos', { chave: 'maria@example.com' })
  const { endToEndId } = started.body
  const accepted = await callers[1].post('/banking/v2/pix', order(1), id)
  const waiting = await callers[1].post('/banking/v2/pix', order(60))
  await Promise.all(callers.map(caller => caller.close()))
  await first.stop()

  const second = await openSimulatorFixture({ home: first.home })
  const [sicoob, inter] = [await createBankCaller(second, 'sicoob'), await createBankCaller(second, 'inter')]
  const confirmation = { endToEndId, valor: '1,00', meioIniciacao: 'CHAVE' }
  expect((await sicoob.post('/pix-pagamentos/v2/pagamentos/confirmacao', confirmation)).status).toBe(200)
  expect((await inter.post('/banking/v2/pix', order(1), id)).body).toEqual(accepted.body)
  expect((await second.control.listOrders()).map(one => one.id)).toEqual([waiting.body.codigoSolicitacao])
  await Promise.all([sicoob.close(), inter.close()])
  await second.close()
})

test('the same seed and calls give the same ids, another seed others', async () => {
  const idsOf = async (seed: number) => {
    const stage = await openSimulatorFixture({ seed })
    const efi = await stage.createShop()
    const { body: charge } = await efi.createCob('s'.repeat(32), '5.00')
    const { body: sentPayment } = await efi.send('s1', 'maria@example.com')
    const paid = await stage.control.pay({ payload: charge.pixCopiaECola })
    const { body: key } = await efi.call('POST', '/v2/gn/evp')
    await stage.close()
    const suffix = (endToEnd: string) => endToEnd.slice(-11)
    return [charge.location.slice(-32), suffix(sentPayment.e2eId), suffix(paid.end_to_end), key.chave]
  }
  const [one, same, other] = [await idsOf(1), await idsOf(1), await idsOf(2)]
  expect(same).toEqual(one)
  expect(other.some(id => one.includes(id))).toBe(false)
})

test('a killed process keeps what it acknowledged, and settles it afterwards', async () => {
  const home = mkdtempSync(join(tmpdir(), 'simulator-'))
  const first = await startProcess(home)
  await first.control.putAccount('shop', { ...SHOP, keys: [...SHOP.keys] })
  expect((await first.efi().send('k1', 'maria@example.com')).status).toBe(201)
  first.child.kill('SIGKILL')
  await first.ended

  const second = await startProcess(home)
  await pollUntil(
    () => second.efi().findSent('k1'),
    response => response.body.status === 'REALIZADO',
  )
  expect(await second.control.listStatement()).toMatchObject([{ id: 'k1', value: 10 }])
  second.child.kill('SIGTERM')
  expect(await second.ended).toEqual([0, null])
  rmSync(home, { recursive: true, force: true })
})

test('secrets in the home folder are readable by their owner only', async () => {
  const stage = await openSimulatorFixture()
  expect(statSync(join(stage.home, 'tls', 'ca.key')).mode & 0o777).toBe(0o600)
  expect(statSync(join(stage.home, 'simulator.json')).mode & 0o777).toBe(0o600)
  await stage.close()
})

test('a container is healthy while its simulator answers: not before, and not after it has stopped', async () => {
  const compose = readFileSync(join(import.meta.dirname, '../../docker-compose.yml'), 'utf8')
  const [, service = ''] = /^ {2}simulator:\n(.*?)^ {2}\S/ms.exec(compose) ?? []
  const [program, ...words] = JSON.parse(/^ +test: (\["CMD", .*\])$/m.exec(service)![1]!).slice(1)
  expect(service).toMatch(/NODE_EXTRA_CA_CERTS: \/simulator\/tls\/ca\.pem/)
  const check = async (home: string) => {
    const here = words.map((word: string) => word.replaceAll('/simulator/', `${home}/`))
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(home, 'tls', 'ca.pem') }
    const [code] = await once(spawn(program, here, { env, stdio: 'ignore' }), 'exit')
    return code
  }
  const stage = await openSimulatorFixture()
  expect(await check(stage.home)).toBe(0)
  await stage.stop()
  expect(await check(stage.home)).toBe(1)
  expect(existsSync(join(stage.home, 'simulator.json'))).toBe(false)

  // What a killed one leaves does not count for the next one.
  writeFileSync(join(stage.home, 'simulator.json'), JSON.stringify(stage.facts))
  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  const { port } = blocker.address() as AddressInfo
  await expect(openSimulatorFixture({ home: stage.home, port })).rejects.toThrow('EADDRINUSE')
  expect(existsSync(join(stage.home, 'simulator.json'))).toBe(false)
  blocker.close()
  rmSync(stage.home, { recursive: true })
})

/** The simulator as `npm run simulator` starts it. */
async function startProcess(home: string) {
  const child = spawn(process.execPath, ['packages/simulator/main.ts'], {
    env: { ...PROGRAM_ENVIRONMENT, SIMULATOR_HOME: home, TRILHO_TIME_SCALE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [line] = await once(child.stdout, 'data')
  expect(JSON.parse(String(line))).toMatchObject({ msg: 'ready' })
  const facts = JSON.parse(readFileSync(join(home, 'simulator.json'), 'utf8'))
  expect(facts.pid).toBe(child.pid)
  const ca = readFileSync(facts.ca_file, 'utf8')
  const efi = () => createEfiClient(facts.providers.PROVIDER_A.base_url, { ca, ...SHOP })
  return { child, ended, control: createSimulatorClient(facts.url, facts.ca_file), efi }
}
