import type { Asked } from '../activities/outgoing.ts'
import { WAITS } from '../domain/waits.ts'
import type { Notices } from './asking.ts'
import { returnsUnsaid } from './sending.ts'

/** `ask` polls one connection; `silent` receives those without an answer before they are polled again. */
type Asking = {
  ask: (connectionUuid: string, asked: number) => Promise<Asked>
  silent: (connections: string[]) => void
}

/** Polls every connection that a notification came through, until it answers. */
export async function hearOthers(notices: Notices, { ask, silent }: Asking): Promise<void> {
  let unheard = notices.unheard()
  for (let asked = 0; unheard.length > 0; asked++) {
    const unanswered: string[] = []
    for (const connectionUuid of unheard) {
      const told = await ask(connectionUuid, asked)
      if (told.kind === 'unknown' || returnsUnsaid(told)) unanswered.push(connectionUuid)
    }
    silent(unanswered)
    if (unanswered.length > 0) await notices.orAfter(WAITS.askAgain(asked + 1), 'no answer: ask again')
    unheard = [...new Set([...unanswered, ...notices.unheard()])]
  }
}
