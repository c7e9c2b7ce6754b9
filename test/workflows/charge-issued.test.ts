import { expect, test } from '@jest/globals'
import {
  absent,
  closed,
  crash,
  delivered,
  issued,
  issuedByNobody,
  known,
} from '../support/workflow-story-lines.ts'
import { isOrdered, orderOf, stage } from '../support/workflow-story-stage.ts'

const on = stage()

test('a candidate that may have issued leaves an orphan, which is closed while the charge goes on', async () => {
  const orphan = on.uuid()
  const story = await on.charge({
    issueCharge: [issued({ connectionUuid: 'connection-b', orphans: [orphan] })],
    closeOrphan: [absent(), absent(), absent(), closed()],
    followCharge: [known('paid')],
  })
  await story.isTold()
  await story.endsAs('paid')
  expect(story.told.children).toEqual([`orphan/${orphan}`])
})

test('a charge that nobody can issue has failed, and tells so', async () => {
  const event = on.uuid()
  const story = await on.charge({
    issueCharge: [issuedByNobody({ deliveries: [event] })],
    deliver: [delivered],
  })
  await story.endsAs('failed')
  expect(story.asked).toEqual(['issueCharge', 'deliver'])
  expect(story.told.shown).toEqual(['FAILED'])
})

test('a charge that nobody issued asks nobody, whatever a notice says: its orphans have lives of their own', async () => {
  const story = await on.charge({
    issueCharge: [
      async story => {
        await story.isTold()
        return issuedByNobody({ orphans: [on.uuid()] })
      },
    ],
    closeOrphan: [closed()],
  })
  await story.endsAs('failed')
  expect(story.asked).toEqual(['issueCharge', 'closeOrphan'])
})

test('what the start of a charge shows is not shown again: an operator finds it by what changes', async () => {
  const story = await on.charge({ issueCharge: [issued()], followCharge: [known('pending'), known('paid')] })
  await story.isTold()
  await story.isAsked(2)
  await story.isTold()
  await story.endsAs('paid')
  expect(story.told).toMatchObject({ shown: ['PENDING', 'PAID'], upserts: 2 })
})

test('an issuing that broke off is begun again by our id', async () => {
  const story = await on.charge({ issueCharge: [crash, crash, issued()], followCharge: [known('paid')] })
  await story.isTold()
  await story.endsAs('paid')
  expect(story.asked).toEqual(['issueCharge', 'issueCharge', 'issueCharge', 'followCharge'])
})

test('an order that is given twice is one charge', async () => {
  const uuid = on.uuid()
  const story = await on.charge({ issueCharge: [issued()], followCharge: [known('paid')] }, { uuid })
  await isOrdered(story, orderOf(uuid))
  await story.isTold()
  await story.endsAs('paid')
  expect(story.asked).toEqual(['issueCharge', 'followCharge'])
})
