import { useState, type ClipboardEvent } from 'react';
import { parseJson, writeJson } from '../shared/exact-json.js';
import { CheckField, SelectField, TextArea, TextField } from '../shared/field.js';
import { toPlainLine, toPlainText } from '../shared/plain-text.js';
import { keyOf, type Field, type Texts } from './schema-fields.js';

interface SchemaFormProps {
  readonly fields: readonly Field[];
  readonly texts: Texts;
  readonly problems: Readonly<Record<string, string>>;
  readonly onText: (key: string, text: string) => void;
}

/** One input for each argument. */
export function SchemaForm({ fields, ...others }: SchemaFormProps) {
  return (
    <div className="grid gap-4">
      {fields.map((field) => (
        <FieldInput key={keyOf(field)} field={field} {...others} />
      ))}
    </div>
  );
}

function FieldInput({
  field,
  texts,
  problems,
  onText,
}: Omit<SchemaFormProps, 'fields'> & { readonly field: Field }) {
  const key = keyOf(field);
  const name = toPlainLine(field.label, 80);
  if (field.kind === 'group')
    return (
      <fieldset className="rounded-md border border-line p-3">
        <legend className="px-1 font-medium">{name}</legend>
        <SchemaForm fields={field.fields} texts={texts} problems={problems} onText={onText} />
      </fieldset>
    );
  const hint = hintOf(field);
  const error = problems[key];
  const shared = {
    label: (
      <>
        <bdi>{name}</bdi>{' '}
        <span className="text-sm font-normal text-muted">{field.required ? 'required' : 'optional'}</span>
      </>
    ),
    value: texts[key] ?? '',
    onText: (text: string) => onText(key, text),
    ...(hint !== undefined && { hint }),
    ...(error !== undefined && { error }),
  };
  switch (field.kind) {
    case 'text':
      return <LineField {...shared} />;
    case 'number':
    case 'integer':
      return <TextField inputMode={field.kind === 'integer' ? 'numeric' : 'decimal'} {...shared} />;
    case 'long':
    case 'list':
    case 'json':
      return <TextArea rows={field.kind === 'json' ? 4 : 3} {...shared} />;
    case 'boolean':
      return (
        <SelectField
          choices={[NOT_GIVEN, { value: 'true', label: 'true' }, { value: 'false', label: 'false' }]}
          {...shared}
        />
      );
    case 'choice': {
      const choices = field.choices.map(({ value, label }) => ({ value, label: toPlainLine(label, 80) }));
      return <SelectField choices={[NOT_GIVEN, ...choices]} {...shared} />;
    }
    case 'choices':
      return <Choices field={field} name={name} text={shared.value} onText={shared.onText} error={error} />;
  }
}

type LineProps = Pick<Parameters<typeof TextField>[0], 'label' | 'hint' | 'error'> & {
  readonly value: string;
  readonly onText: (text: string) => void;
};

/** One line as long as that is enough: the browser's own field would join several that are pasted. */
function LineField(props: LineProps) {
  const [pasted, setPasted] = useState(false);
  const { value, onText } = props;
  if (pasted || value.includes('\n')) return <TextArea rows={4} autoFocus={pasted} {...props} />;
  function paste(event: ClipboardEvent<HTMLInputElement>): void {
    const text = event.clipboardData.getData('text').replaceAll(/\r\n?/g, '\n');
    if (!text.includes('\n')) return;
    event.preventDefault();
    const { selectionStart, selectionEnd } = event.currentTarget;
    setPasted(true);
    onText(value.slice(0, selectionStart ?? 0) + text + value.slice(selectionEnd ?? value.length));
  }
  return <TextField {...props} onPaste={paste} />;
}

/** Any number of the values that are offered. */
function Choices({
  field: { choices, description, required },
  name,
  text,
  error,
  onText,
}: {
  readonly field: Extract<Field, { readonly kind: 'choice' | 'choices' }>;
  readonly name: string;
  readonly text: string;
  readonly error: string | undefined;
  readonly onText: (text: string) => void;
}) {
  const chosen = chosenIn(text);
  function choose(value: string, isChosen: boolean): void {
    const now = choices.filter((each) => (each.value === value ? isChosen : chosen.includes(each.value)));
    onText(now.length === 0 && !required ? '' : `[${now.map((each) => each.value).join(',')}]`);
  }
  return (
    <fieldset className="rounded-md border border-line p-3">
      <legend className="px-1 font-medium">
        <bdi>{name}</bdi>{' '}
        <span className="text-sm font-normal text-muted">{required ? 'required' : 'optional'}</span>
      </legend>
      {description !== undefined && (
        <p className="mb-2 text-sm text-muted">{toPlainText(description, 500)}</p>
      )}
      <div className="grid gap-1">
        {choices.map(({ value, label }) => (
          <CheckField
            key={value}
            label={<bdi>{toPlainLine(label, 80)}</bdi>}
            checked={chosen.includes(value)}
            onCheck={(checked) => choose(value, checked)}
          />
        ))}
      </div>
      {error !== undefined && <p className="mt-1 text-sm text-bad">{error}</p>}
    </fieldset>
  );
}

function chosenIn(text: string): readonly string[] {
  try {
    const value = parseJson(text);
    return Array.isArray(value) ? value.map((each) => writeJson(each)) : [];
  } catch {
    return [];
  }
}

const NOT_GIVEN = { value: '', label: '(not given)' };

const FORMS: Partial<Readonly<Record<Field['kind'], string>>> = {
  list: 'One to a line.',
  json: 'As JSON.',
  integer: 'A whole number.',
};

function hintOf(field: Field): string | undefined {
  const parts = [
    field.description === undefined ? undefined : toPlainText(field.description, 500),
    FORMS[field.kind],
  ];
  const text = parts.filter((part) => part !== undefined).join(' ');
  return text === '' ? undefined : text;
}
