<?php

declare(strict_types=1);

namespace Trilho;

/** A file of a form; its media type follows from the ending of its name. */
final class File
{
    public function __construct(public readonly string $name, public readonly string $content)
    {
    }

    /** Reads a file of this machine. */
    public static function read(string $path): self
    {
        $content = file_get_contents($path);
        if ($content === false) {
            throw new \InvalidArgumentException("The file {$path} cannot be read.");
        }
        return new self(basename($path), $content);
    }
}
