import { allHandlersFinished, condition, setCurrentDetails, setHandler, sleep } from '@temporalio/workflow'
import type { CodeFate } from '../activities/auth-codes.ts'
import { scaled, WAITS } from '../domain/waits.ts'
import { messengers, records } from './activities.ts'
import type { AuthCodeOrder } from './key-messages.ts'
import { answered } from './messages.ts'

/** A code: stored, then sent to its address, tried again until somebody carries it, refuses it, or it expires. */
export async function authCodeWorkflow(order: AuthCodeOrder): Promise<CodeFate> {
  let isStored = false
  setHandler(answered, () => condition(() => isStored), { description: 'Waits until the code is stored' })
  await records.storeAuthCode(order)
  isStored = true
  const fate = await carried(order)
  setCurrentDetails(`The code was ${fate}`)
  await condition(allHandlersFinished)
  return fate
}

async function carried({ uuid, timeScale }: AuthCodeOrder): Promise<CodeFate> {
  for (let tries = 1; ; tries++) {
    const told = await messengers.sendAuthCode.executeWithOptions({ summary: `try ${tries}` }, [{ uuid }])
    if (told.kind === 'over') return told.fate
    setCurrentDetails(`Could not be sent yet (${told.code}): tried again until it expires`)
    await sleep(scaled(WAITS.sendCodeAgain(tries), timeScale), { summary: `before try ${tries + 1}` })
  }
}
