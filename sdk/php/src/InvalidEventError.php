<?php

declare(strict_types=1);

namespace Trilho;

/** A delivery that Trilho has signed, and whose body is not an event that this version can read. */
final class InvalidEventError extends \RuntimeException
{
}
