import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { toolNames } from '../api/tool-names.js';
import { TextField } from '../shared/field.js';

/** A tool by its whole name; names are offered while one types. It counts with Enter, or when the field is left. */
export function ToolFilter({
  tool,
  onTool,
}: {
  readonly tool: string;
  readonly onTool: (tool: string) => void;
}) {
  const list = useId();
  const [text, setText] = useState(tool);
  const [before, setBefore] = useState(tool);
  // The address is another one, by the way back or by what was typed here; the field keeps the focus.
  if (before !== tool) {
    setBefore(tool);
    setText(tool);
  }
  const { data: names = [] } = useQuery(toolNames(useDeferredValue(text.trim())));
  const commit = (next: string) => {
    if (next.trim() !== tool) onTool(next.trim());
  };
  return (
    <>
      <TextField
        label="Tool"
        type="search"
        placeholder="Any"
        maxLength={256}
        list={list}
        value={text}
        onText={(next) => {
          setText(next);
          // Chosen from the list, or emptied.
          if (names.includes(next) || next === '') commit(next);
        }}
        onBlur={() => commit(text)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') commit(text);
        }}
      />
      <datalist id={list}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
