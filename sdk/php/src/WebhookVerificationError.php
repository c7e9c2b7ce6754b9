<?php

declare(strict_types=1);

namespace Trilho;

/** A delivery that Trilho has not signed, or that is too old or too new. Answer 400. */
final class WebhookVerificationError extends \RuntimeException
{
}
