import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiResponse } from '../api/support/client.ts'
import type { TestStack } from '../api/support/test-stack.ts'
import type { OddCase, Scenario } from './cases.ts'
import { createPixKey, findIssuer, type OddMerchant } from './odd-merchants.ts'

/** What a merchant and its payers do, with the oddity armed at the step that it is about. */

type ScenarioInput = { merchant: OddMerchant; stage: TestStack; oddCase: OddCase; limitMs: number }

export async function playScenario(input: ScenarioInput): Promise<void> {
  await SCENARIOS[input.oddCase.scenario](input)
}

const arm = ({ merchant, oddCase }: ScenarioInput) =>
  merchant.odd.arm(oddCase.operation, oddCase.oddity, oddCase.times)

const SCENARIOS: Record<Scenario, (input: ScenarioInput) => Promise<void>> = {
  async charge(input) {
    arm(input)
    await createAndPayCharge(input)
  },

  async cancellation(input) {
    const charge = await createCharge(input)
    if (!charge) return
    arm(input)
    expectKnown(await input.merchant.api.post(`/api/v1/payments/${charge.uuid}/cancel`))
    pay(input, charge.payload)
  },

  async transfer(input) {
    arm(input)
    await sendTransfer(input)
  },

  async refund(input) {
    const charge = await createAndPayCharge(input)
    if (!charge || !(await waitForCharge(input, charge.uuid))) return
    arm(input)
    expectKnown(await input.merchant.api.post(`/api/v1/payments/${charge.uuid}/refund`, { value: 4 }))
  },

  async movements(input) {
    await Promise.all([createAndPayCharge(input), sendTransfer(input), sendTransfer(input)])
    arm(input)
    input.merchant.odd.books.deposit(7_00)
  },

  async dispute(input) {
    const charge = await createAndPayCharge(input)
    if (!charge || !(await waitForCharge(input, charge.uuid))) return
    arm(input)
    for (const pix of input.merchant.odd.books.received.values()) input.merchant.odd.books.openDispute(pix)
  },

  async key(input) {
    arm(input)
    await createKey(input)
  },

  async 'key removal'(input) {
    const { body } = await createKey(input)
    arm(input)
    if (body.data?.key) expectKnown(await input.merchant.api.delete(`/api/v1/pix-keys/${body.data.key}`))
  },
}

/** Fails where the request itself is wrong, so that nothing was tried. */
function expectKnown(answer: ApiResponse): ApiResponse {
  if ([400, 403, 404, 405, 422].includes(answer.status))
    throw new Error(`The request of the case was refused: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer
}

const createKey = ({ merchant }: ScenarioInput) =>
  merchant.api.post('/api/v1/pix-keys', { type: 'RANDOM', provider_uuid: merchant.connections[0]!.uuid })

const sendTransfer = ({ merchant, oddCase }: ScenarioInput) =>
  merchant.api.post('/api/v1/transfers', { value: 10, pix_key: createPixKey(oddCase.isRefusedByReceiver) })

async function createCharge({ merchant }: ScenarioInput) {
  const { status, body } = await merchant.api.post('/api/v1/payments', { value: 10, type: 'PIX' })
  return status === 201
    ? { uuid: body.data.uuid as string, payload: body.data.payment.payload as string }
    : null
}

async function createAndPayCharge(input: ScenarioInput) {
  const charge = await createCharge(input)
  if (charge) pay(input, charge.payload)
  return charge
}

function pay({ merchant }: ScenarioInput, payload: string) {
  const issuer = findIssuer(merchant, payload)
  issuer?.account.books.pay(issuer.charge.reference)
}

/** Whether the charge is paid in time; where not, the judge finds out why. */
async function waitForCharge({ stage, limitMs }: ScenarioInput, uuid: string): Promise<boolean> {
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; await sleep(300)) {
    const [row] = await stage.sql<{ state: string }>('select state from charge where uuid = ?', [uuid])
    if (row?.state === 'paid') return true
  }
  return false
}
