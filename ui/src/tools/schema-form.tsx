import { SelectField, TextArea, TextField } from '../shared/field.js';
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
      return <TextField {...shared} />;
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
      const choices = field.choices.map((choice) => ({
        value: JSON.stringify(choice),
        label: toPlainLine(typeof choice === 'string' ? choice : JSON.stringify(choice), 80),
      }));
      return <SelectField choices={[NOT_GIVEN, ...choices]} {...shared} />;
    }
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
