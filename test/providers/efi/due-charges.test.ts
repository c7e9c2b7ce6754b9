import { describeDueCharges } from '../support/due-charges.ts'
import { bcbErrorReply, openEfiFixture, REFERENCE } from '../support/efi-fixture.ts'

describeDueCharges({
  name: 'Efí',
  open: openEfiFixture,
  path: `/v2/cobv/${REFERENCE}`,
  notActive: bcbErrorReply(400, 'CobVOperacaoInvalida'),
  absent: bcbErrorReply(404, 'CobVNaoEncontrada'),
})
