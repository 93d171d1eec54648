import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { notFound } from "next/navigation";
import { TaskPage } from "../../_components/task/task-page.tsx";
import { taskId } from "../../_server/task-input.ts";
import { mustBeSignedIn } from "../../_server/page-asker.ts";

interface Props {
  readonly params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const t = await getTranslations("task");
  const id = taskId.safeParse((await params).id);
  return id.success ? { title: t("title", { id: id.data }) } : {};
}

/** One live task: why it stands where it stands, what happened, and what can be done. */
export default async function TaskDetailPage({ params }: Props) {
  await mustBeSignedIn();
  const id = taskId.safeParse((await params).id);
  if (!id.success) notFound();
  return <TaskPage key={id.data} id={id.data} />;
}
