<?php

declare(strict_types=1);

namespace Trilho;

/** The default of optional amounts. Null is refused in its place: a lost amount must not mean "everything". */
enum Omitted
{
    case Value;
}
